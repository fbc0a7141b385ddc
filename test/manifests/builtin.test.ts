// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { parseBuiltin } from '../../manifests/builtin.ts';
import { type Json, LIMITS, refused } from './fixtures.ts';

const HEALTH: Json = {
  id: 'system.health',
  name: 'Health',
  description: 'How this machine is',
  category: 'STATE_QUERY',
  parameters: { type: 'object' },
  returns: { type: 'object' },
  access: 'read',
  network: 'local',
};
const FETCH = { ...HEALTH, id: 'web.fetch', network: 'external' };
const at = (raw: unknown): string => refused(() => parseBuiltin(raw, LIMITS));
const without = (field: string): Json =>
  Object.fromEntries(Object.entries(HEALTH).filter(([name]) => name !== field));

describe('manifests/builtin', () => {
  it('[R34] [R40] access and network are stated apart from each other', () => {
    assert.deepInclude<object>(parseBuiltin(HEALTH, LIMITS), {
      id: 'system.health',
      sideEffects: 'read',
      network: undefined,
    });
    assert.deepInclude<object>(parseBuiltin(FETCH, LIMITS), {
      id: 'web.fetch',
      sideEffects: 'read',
      network: 'external',
    });
    assert.deepInclude<object>(parseBuiltin({ ...HEALTH, access: 'write' }, LIMITS), {
      sideEffects: 'write',
      network: undefined,
    });
    const destructive = { ...HEALTH, access: 'write', side_effects: 'destructive' };
    assert.equal(parseBuiltin(destructive, LIMITS).sideEffects, 'destructive');
    const external = { ...FETCH, access: 'write', side_effects: 'network' };
    assert.equal(parseBuiltin(external, LIMITS).sideEffects, 'network');
  });

  it('[R34] [R40] neither has a default', () => {
    assert.equal(at(without('access')), 'AccessInvalid /access');
    assert.equal(at(without('network')), 'AccessInvalid /network');
    assert.equal(at({ ...HEALTH, access: 'execute' }), 'AccessInvalid /access');
    assert.equal(at({ ...HEALTH, network: 'lan' }), 'AccessInvalid /network');
  });

  it('[R22] side effects must agree with both', () => {
    assert.equal(at({ ...HEALTH, side_effects: 'write' }), 'AccessInvalid /side_effects');
    assert.equal(at({ ...HEALTH, access: 'write', side_effects: 'none' }), 'AccessInvalid /side_effects');
    assert.equal(at({ ...HEALTH, access: 'write', side_effects: 'network' }), 'AccessInvalid /network');
  });

  it("[R143] the rules of an app's capability hold as well", () => {
    assert.equal(at({ ...HEALTH, id: 'files.org.gnome.nautilus.open' }), 'DomainReserved /id');
    assert.equal(at({ ...HEALTH, name: '' }), 'TextInvalid /name');
    assert.equal(at(without('category')), 'SchemaViolation /category');
    assert.equal(at({ ...HEALTH, handler: 1 }), 'UnknownField /handler');
    assert.equal(at({ ...HEALTH, id: 'Health' }), 'CapabilityIdInvalid /id');
    assert.equal(at({ ...HEALTH, parameters: { $id: 'x' } }), 'ParameterSchemaRefused /parameters/$id');
    assert.equal(at({ ...FETCH, auth_level: 'public' }), 'AuthLevelInvalid /auth_level');
    assert.equal(at(null), 'AccessInvalid /access');
  });

  it('its digest depends on all of it', () => {
    const { digest } = parseBuiltin(HEALTH, LIMITS);
    assert.match(digest, /^[0-9a-f]{64}$/);
    assert.notEqual(parseBuiltin({ ...HEALTH, side_effects: 'read' }, LIMITS).digest, digest);
  });
});
