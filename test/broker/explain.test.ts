// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { explain } from '../../broker/explain.ts';
import { Attempt } from '../../broker/intent/attempt.ts';
import type { Intent } from '../../policy/intent.ts';
import { id } from './intent/fixture-app.ts';
import { AGENT, type Desk, INTENT, useDesk } from './intent/world.ts';

describe('Explain', () => {
  const its = useDesk();
  const ask = (desk: Desk, capability: string, params: unknown, more: Partial<Intent> = {}) => {
    const attempt = new Attempt({
      invocation: '11111111-1111-4111-8111-111111111111',
      caller: { connection: ':1.7', principal: AGENT, epoch: desk.registry.epoch },
      signal: new AbortController().signal,
      startedAt: 0,
      origin: undefined,
      profile: 'standard',
    });
    const explainer = { ...desk.world, grants: desk.ledger };
    return explain({ ...INTENT, capability, params: JSON.stringify(params), ...more }, attempt, explainer);
  };

  it('[R130] says what would happen, and makes nothing happen', () => {
    const before = its.records.checkpoint();
    assert.deepInclude(ask(its.desk, id('read'), {}), {
      effect: 'allow',
      stage: 'policy',
      gate: 'automatic',
      risk: 'low',
    });
    assert.deepInclude(ask(its.desk, id('write'), { path: '/tmp/a' }), {
      effect: 'ask',
      stage: 'confirm',
      capability: id('write'),
      version: '1.0',
      gate: 'ask',
      access: 'write',
      network: 'local',
      undo_window_ms: 30_000,
    });
    assert.deepEqual(its.desk.bus.calls, []);
    assert.deepEqual(its.records.checkpoint(), before);
  });

  it('[R83] [R130] gives the digest that a person would be shown', async () => {
    const { digest } = ask(its.desk, id('write'), { path: '/tmp/a' });
    await its.desk.dispatch(id('write'), { path: '/tmp/a' });
    assert.equal(digest, its.desk.bus.asked[0]?.digest);
  });

  it('[R130] refuses where the path would, and says no more than it', () => {
    assert.deepInclude(ask(its.desk, id('tune'), {}), { effect: 'deny', stage: 'resolve', code: 'NotFound' });
    assert.deepEqual(ask(its.desk, id('tune'), {}), ask(its.desk, id('nothing'), {}));
    assert.deepInclude(ask(its.desk, id('read'), { more: 1 }), { stage: 'validate', code: 'InvalidParams' });
    its.desk.configure({ locked: [id('read')] });
    assert.deepInclude(ask(its.desk, id('read'), {}), { stage: 'policy', code: 'PolicyDenied' });
  });

  it('a fault is a fault', () => {
    its.desk.world.mac = () => {
      throw new TypeError('a fault');
    };
    assert.throws(() => ask(its.desk, id('read'), {}), TypeError);
  });
});
