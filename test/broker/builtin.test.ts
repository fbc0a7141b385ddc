// SPDX-License-Identifier: Apache-2.0
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { assert } from 'chai';
import { HEALTH_DEFINITION, health } from '../../broker/builtin/health.ts';
import { SUBSCRIBE_DEFINITION } from '../../broker/builtin/subscribe.ts';
import { DEFAULTS } from '../../broker/config.ts';
import { parseBuiltin } from '../../manifests/builtin.ts';
import { Registry } from '../../manifests/registry.ts';
import { SchemaCache } from '../../manifests/schema-cache.ts';
import { classify } from '../../policy/classify.ts';

const DEFINITIONS = [HEALTH_DEFINITION, SUBSCRIBE_DEFINITION];

describe('broker/builtin', () => {
  it('[R12] [R13] [R14] is a fixed list in the source, closed before anything is served', () => {
    const files = readdirSync(join(import.meta.dirname, '../../broker/builtin')).filter((name) =>
      name.endsWith('.ts'),
    );
    assert.sameMembers(
      files,
      ['health.ts', 'subscribe.ts'],
      'a new one is a change to this list, and so to a release',
    );
    const registry = new Registry();
    const [first, second] = DEFINITIONS.map((raw) => parseBuiltin(raw, DEFAULTS.manifests));
    if (first === undefined || second === undefined) throw new Error('both are definitions');
    registry.addBuiltin(first);
    registry.freezeBuiltins();
    assert.throws(() => registry.addBuiltin(second), /frozen/);
    assert.deepEqual(
      registry.list().map(({ capability }) => capability.id),
      ['system.health'],
    );
  });

  it('[R23] reads locally and so runs without asking', () => {
    for (const raw of DEFINITIONS) {
      const { access, network, gate } = classify(parseBuiltin(raw, DEFAULTS.manifests), 'strict');
      assert.deepEqual({ access, network, gate }, { access: 'read', network: 'local', gate: 'automatic' });
    }
  });

  it('[R21] system.health answers what its own schema says', () => {
    const capability = parseBuiltin(HEALTH_DEFINITION, DEFAULTS.manifests);
    const schemas = new SchemaCache({ maxCompiled: 10, maxPatternSize: 100, maxPatternSteps: 1000 });
    const answer = health({ version: '0.1.0', startedAt: 5000, now: () => 8999, capabilities: () => 2 });
    const caller = { connection: ':1.1', epoch: 0 };
    const result = answer({}, caller as Parameters<typeof answer>[1]);
    assert.deepEqual(result, { status: 'ok', version: '0.1.0', uptime_s: 3, capabilities: 2 });
    assert.isUndefined(schemas.validatorFor(capability, 'returns')(result));
  });
});
