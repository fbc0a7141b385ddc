// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { parseManifest } from '../../manifests/parse.ts';
import {
  capability,
  capabilityWith,
  encode,
  type Json,
  LIMITS,
  manifestWith,
  parse,
  refused,
  VECTORS,
} from './fixtures.ts';

const C = '/capabilities/0';
const at = (manifest: unknown): string => refused(() => parse(manifest));
const without = (manifest: Json, field: string): Json =>
  Object.fromEntries(Object.entries(manifest).filter(([name]) => name !== field));
const first = (): Json => ({ ...VECTORS.M0.capabilities[0] });

describe('manifests/parse', () => {
  describe('what it refuses', () => {
    const refusals: [string, string, () => unknown][] = [
      ['[R7] no app id', 'SchemaViolation /app_id', () => without(VECTORS.M0, 'app_id')],
      ['[R7] no version', 'SchemaViolation /version', () => without(VECTORS.M0, 'version')],
      [
        '[R7] [R9] no manifest version',
        'SchemaViolation /manifest_version',
        () => without(VECTORS.M0, 'manifest_version'),
      ],
      ['[R7] no capabilities', 'SchemaViolation /capabilities', () => without(VECTORS.M0, 'capabilities')],
      ['no object', 'SchemaViolation ', () => []],
      [
        '[R8] an app id that is a path',
        'AppIdInvalid /app_id',
        () => manifestWith({ app_id: '../../tmp/evil' }),
      ],
      [
        '[R9] a manifest version in another form',
        'VersionInvalid /manifest_version',
        () => manifestWith({ manifest_version: '1' }),
      ],
      [
        '[R9] a manifest version with two spellings',
        'VersionInvalid /manifest_version',
        () => manifestWith({ manifest_version: '01.0' }),
      ],
      [
        '[R9] a later manifest version',
        'VersionUnsupported /manifest_version',
        () => manifestWith({ manifest_version: '1.1' }),
      ],
      [
        '[R10] an event without a description',
        'SchemaViolation /events/0/description',
        () => manifestWith({ events: [{ event_type: 'a' }] }),
      ],
      [
        '[R10] an event with an unknown field',
        'UnknownField /events/0/x',
        () => manifestWith({ events: [{ event_type: 'a', description: 'b', x: 1 }] }),
      ],
      [
        '[R10] the same event twice',
        'EventDuplicate /events/1/event_type',
        () =>
          manifestWith({
            events: [
              { event_type: 'a', description: 'b' },
              { event_type: 'a', description: 'c' },
            ],
          }),
      ],
      [
        '[R10] a payload schema outside the dialect',
        'ParameterSchemaRefused /events/0/payload_schema/$id',
        () => manifestWith({ events: [{ event_type: 'a', description: 'b', payload_schema: { $id: 'x' } }] }),
      ],
      [
        '[R53] a signature that is no text',
        'SignatureMalformed /signature',
        () => manifestWith({ signature: ['x'] }),
      ],
      [
        'a field that could be a restriction',
        'UnknownField /expires',
        () => manifestWith({ expires: '2030-01-01' }),
      ],
      [
        'an unknown field with a pointer in its name',
        'UnknownField /a~1b~0c',
        () => manifestWith({ 'a/b~c': 1 }),
      ],
      ['a negative revision', 'SchemaViolation /revision', () => manifestWith({ revision: -1 })],
      ['a fractional revision', 'SchemaViolation /revision', () => manifestWith({ revision: 1.5 })],
      [
        'an unknown way of activation',
        'SchemaViolation /activation',
        () => manifestWith({ activation: 'exec' }),
      ],
      [
        'a language tag of another form',
        'LocaleInvalid /locales/de_DE',
        () => manifestWith({ locales: { de_DE: {} } }),
      ],
      ['[R16] a malformed id', `CapabilityIdInvalid ${C}/id`, () => capabilityWith({ id: 'Files.open' })],
      ['[R16] an id that is no text', `SchemaViolation ${C}/id`, () => capabilityWith({ id: 7 })],
      [
        '[R16] an id that is too long',
        `CapabilityIdInvalid ${C}/id`,
        () => capabilityWith({ id: `files.${'a'.repeat(300)}.open` }),
      ],
      [
        '[R17] an id of another app',
        `CapabilityIdForeign ${C}/id`,
        () => capabilityWith({ id: 'files.org.evil.app.open' }),
      ],
      ['[R17] a two-part id', `DomainReserved ${C}/id`, () => capabilityWith({ id: 'system.health' })],
      [
        '[R17] an id in the domain of derived ones',
        `DomainReserved ${C}/id`,
        () => capabilityWith({ id: 'atspi.org.gnome.nautilus.open' }),
      ],
      [
        '[R28] an id and version twice',
        'CapabilityDuplicate /capabilities/1/id',
        () => manifestWith({ capabilities: [first(), { ...first(), side_effects: 'none' }] }),
      ],
      [
        '[R28] an id twice, once with the version written out',
        'CapabilityDuplicate /capabilities/1/id',
        () => manifestWith({ capabilities: [first(), { ...first(), version: '1.0' }] }),
      ],
      [
        '[R18] no name',
        `SchemaViolation ${C}/name`,
        () => manifestWith({ capabilities: [without(first(), 'name')] }),
      ],
      [
        '[R20] parameters that are no object',
        `SchemaViolation ${C}/parameters`,
        () => capabilityWith({ parameters: true }),
      ],
      [
        '[R21] no result schema',
        `SchemaViolation ${C}/returns`,
        () => manifestWith({ capabilities: [without(first(), 'returns')] }),
      ],
      [
        '[R20] parameters outside the dialect',
        `ParameterSchemaRefused ${C}/parameters/properties/a/$id`,
        () => capabilityWith({ parameters: { properties: { a: { $id: 'x' } } } }),
      ],
      [
        '[R63] parameters with unnamed ones',
        `ParameterSchemaRefused ${C}/parameters/additionalProperties`,
        () => capabilityWith({ parameters: { additionalProperties: true } }),
      ],
      [
        '[R20] parameters that are no object by their type',
        `ParameterSchemaRefused ${C}/parameters/type`,
        () => capabilityWith({ parameters: { type: 'array' } }),
      ],
      [
        '[R21] a result schema outside the dialect',
        `ParameterSchemaRefused ${C}/returns/if`,
        () => capabilityWith({ returns: { if: true } }),
      ],
      [
        '[R22] unknown side effects',
        `SchemaViolation ${C}/side_effects`,
        () => capabilityWith({ side_effects: 'execute' }),
      ],
      [
        '[R25] a confirmation that is no truth value',
        `SchemaViolation ${C}/confirmation_required`,
        () => capabilityWith({ confirmation_required: 'no' }),
      ],
      ['[R27] a malformed version', `VersionInvalid ${C}/version`, () => capabilityWith({ version: 'one' })],
      [
        '[R27] a version with two spellings',
        `VersionInvalid ${C}/version`,
        () => capabilityWith({ version: '1.00' }),
      ],
      [
        '[R30] an unknown level',
        `SchemaViolation ${C}/auth_level`,
        () => capabilityWith({ auth_level: 'root' }),
      ],
      [
        '[R31] a public write',
        `AuthLevelInvalid ${C}/auth_level`,
        () => capabilityWith({ auth_level: 'public', side_effects: 'write' }),
      ],
      [
        '[R31] a public capability that does not say what it does',
        `AuthLevelInvalid ${C}/auth_level`,
        () => manifestWith({ capabilities: [{ ...without(first(), 'side_effects'), auth_level: 'public' }] }),
      ],
      [
        '[R31] a public read of something outside',
        `AuthLevelInvalid ${C}/auth_level`,
        () => capabilityWith({ auth_level: 'public', network: 'external' }),
      ],
      [
        '[R34] a network that is declared local, which could only loosen',
        `SchemaViolation ${C}/network`,
        () => capabilityWith({ network: 'local' }),
      ],
      [
        '[R41] an unknown trust',
        `SchemaViolation ${C}/output_trust`,
        () => capabilityWith({ output_trust: 'full' }),
      ],
      [
        '[R43] a target that is no parameter',
        `TargetInvalid ${C}/target/0/parameter`,
        () => capabilityWith({ target: [{ parameter: '/file', kind: 'path' }] }),
      ],
      [
        '[R43] an unknown kind of target',
        `SchemaViolation ${C}/target/0/kind`,
        () => capabilityWith({ target: [{ parameter: '/path', kind: 'host' }] }),
      ],
      [
        'an unknown field of a capability',
        `UnknownField ${C}/handler`,
        () => capabilityWith({ handler: 'sh' }),
      ],
      [
        '[R54] a signature inside a capability',
        `UnknownField ${C}/signature`,
        () => capabilityWith({ signature: VECTORS.M0_signature }),
      ],
      ['an unknown bound', `UnknownField ${C}/bounds/cpu`, () => capabilityWith({ bounds: { cpu: 1 } })],
      [
        'an unknown field of a translation',
        `UnknownField ${C}/locales/de/title`,
        () => capabilityWith({ locales: { de: { title: 'x' } } }),
      ],
    ];
    for (const [title, expected, make] of refusals)
      it(`${title}: ${expected}`, () => assert.equal(at(make()), expected));

    for (const field of ['timeout_ms', 'max_result_bytes', 'max_invocations_per_turn']) {
      it(`[R35] a bound \`${field}\` out of range`, () => {
        for (const value of [0, -1, 2 ** 31]) {
          assert.equal(
            at(capabilityWith({ bounds: { [field]: value } })),
            `BoundsOutOfRange ${C}/bounds/${field}`,
          );
        }
        assert.equal(
          at(capabilityWith({ bounds: { [field]: 1.5 } })),
          `SchemaViolation ${C}/bounds/${field}`,
        );
        assert.equal(
          at(capabilityWith({ bounds: { [field]: null } })),
          `SchemaViolation ${C}/bounds/${field}`,
        );
      });
    }

    it('[R35] bounds reach to the ceilings and not beyond', () => {
      const most = { timeout_ms: 600_000, max_result_bytes: 1_048_576, max_invocations_per_turn: 100 };
      assert.deepEqual(capability({ bounds: most }).bounds, {
        timeoutMs: 600_000,
        maxResultBytes: 1_048_576,
        maxInvocationsPerTurn: 100,
      });
      for (const [field, value] of Object.entries(most)) {
        assert.equal(
          at(capabilityWith({ bounds: { ...most, [field]: value + 1 } })),
          `BoundsOutOfRange ${C}/bounds/${field}`,
        );
      }
    });

    it('[R26] an undo window out of range; null is none', () => {
      for (const value of [0, -1, 86_400_001])
        assert.equal(at(capabilityWith({ undo_window_ms: value })), `BoundsOutOfRange ${C}/undo_window_ms`);
      assert.isUndefined(capability({ undo_window_ms: null }).undoWindowMs);
      assert.equal(capability({ undo_window_ms: 86_400_000 }).undoWindowMs, 86_400_000);
    });

    it('[R31] a public read of this machine is taken', () => {
      for (const side_effects of ['none', 'read'])
        assert.equal(capability({ auth_level: 'public', side_effects }).authLevel, 'public');
    });

    it('too many of anything that can be listed', () => {
      const limits = { ...LIMITS, maxCapabilities: 1, maxEvents: 1, maxLocales: 1, maxTargets: 1 };
      const over = (manifest: unknown) => refused(() => parseManifest(encode(manifest), limits));
      const event = { event_type: 'a', description: 'b' };
      assert.equal(
        over(manifestWith({ capabilities: [first(), { ...first(), version: '2.0' }] })),
        'TooMany /capabilities',
      );
      assert.equal(over(manifestWith({ events: [event, { ...event, event_type: 'b' }] })), 'TooMany /events');
      assert.equal(over(manifestWith({ locales: { de: {}, fr: {} } })), 'TooMany /locales');
      assert.equal(over(capabilityWith({ locales: { de: {}, fr: {} } })), `TooMany ${C}/locales`);
      const target = [
        { parameter: '/path', kind: 'path' },
        { parameter: '/path', kind: 'text' },
      ];
      assert.equal(over(capabilityWith({ target })), `TooMany ${C}/target`);
    });

    it('language tags that have another spelling or none', () => {
      for (const tag of [
        'DE',
        'de_DE',
        'de-de',
        'zh-hant',
        'd',
        '',
        '__proto__',
        'de-DE.UTF-8',
        'x',
        'english',
      ]) {
        assert.equal(
          at(manifestWith({ locales: JSON.parse(`{${JSON.stringify(tag)}:{}}`) })),
          `LocaleInvalid /locales/${tag}`,
        );
      }
      for (const tag of [
        'de',
        'ast',
        'pt-BR',
        'zh-Hant',
        'zh-Hant-TW',
        'es-419',
        'ca-valencia',
        'sl-nedis',
        'de-1996',
      ]) {
        assert.doesNotThrow(() => parse(manifestWith({ locales: { [tag]: {} } })), undefined, undefined, tag);
      }
    });

    it('an own field `__proto__`, which assignment would swallow', () => {
      const text = JSON.stringify(VECTORS.M0).replace('{', '{"__proto__":{"side_effects":"none"},');
      assert.equal(
        refused(() => parseManifest(new TextEncoder().encode(text), LIMITS)),
        'UnknownField /__proto__',
      );
    });
  });
});
