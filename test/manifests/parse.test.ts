// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { CATEGORIES } from '../../manifests/capability.ts';
import { capability, capabilityWith, type Json, manifestWith, parse, refused, VECTORS } from './fixtures.ts';

const C = '/capabilities/0';
const at = (manifest: unknown): string => refused(() => parse(manifest));
const without = (manifest: Json, field: string): Json =>
  Object.fromEntries(Object.entries(manifest).filter(([name]) => name !== field));
const first = (): Json => ({ ...VECTORS.M0.capabilities[0] });

describe('manifests/parse', () => {
  describe('what a manifest says', () => {
    it('[R7] reads the base manifest', () => {
      const manifest = parse(VECTORS.M0);
      assert.deepInclude<object>(manifest, {
        appId: 'org.gnome.Nautilus',
        version: '47.0',
        manifestVersion: '1.0',
        revision: undefined,
        activation: undefined,
        locales: {},
        events: [],
        signature: undefined,
        digest: VECTORS.M0_canonical_sha256,
      });
      assert.lengthOf(manifest.capabilities, 1);
    });

    it('[R22] [R25] [R27] [R30] what a capability leaves out reads as the stricter choice', () => {
      const bare = ['side_effects', 'auth_level'].reduce(without, first());
      const [parsed] = parse(manifestWith({ capabilities: [bare] })).capabilities;
      assert.deepInclude<object>(parsed ?? {}, {
        id: 'files.org.gnome.nautilus.open',
        version: '1.0',
        sideEffects: 'unknown',
        network: undefined,
        confirmationRequired: false,
        undoWindowMs: undefined,
        authLevel: 'user',
        targets: [],
        idempotent: false,
        outputTrust: 'low',
        sideEffectsNote: undefined,
        preview: false,
        locales: {},
        bounds: { timeoutMs: 60_000, maxResultBytes: 65_536, maxInvocationsPerTurn: 10 },
      });
    });

    it('[R18] [R26] [R34] [R35] [R37] [R39] [R41] [R43] [R154] reads every field there is', () => {
      const parsed = capability({
        side_effects: 'destructive',
        version: '2.1',
        confirmation_required: true,
        undo_window_ms: 30_000,
        auth_level: 'privileged',
        bounds: { timeout_ms: 1000, max_result_bytes: 10, max_invocations_per_turn: 1 },
        network: 'external',
        target: [{ parameter: '/path', kind: 'path' }],
        idempotent: true,
        output_trust: 'high',
        side_effects_note: 'Deletes it\nfor good',
        preview: true,
        locales: { de: { name: 'Öffnen' }, 'pt-BR': { description: 'Abre' }, 'zh-Hant': {} },
      });
      assert.deepInclude<object>(parsed ?? {}, {
        version: '2.1',
        sideEffects: 'destructive',
        confirmationRequired: true,
        undoWindowMs: 30_000,
        authLevel: 'privileged',
        bounds: { timeoutMs: 1000, maxResultBytes: 10, maxInvocationsPerTurn: 1 },
        network: 'external',
        targets: [{ parameter: '/path', kind: 'path' }],
        idempotent: true,
        outputTrust: 'high',
        sideEffectsNote: 'Deletes it\nfor good',
        preview: true,
        locales: { de: { name: 'Öffnen' }, 'pt-BR': { description: 'Abre' }, 'zh-Hant': {} },
      });
    });

    it('[R10] reads events, with and without a payload schema', () => {
      const payload_schema = { type: 'object', properties: { path: { type: 'string' } } };
      const { events } = parse(
        manifestWith({
          events: [
            { event_type: 'changed', description: 'A file changed', payload_schema },
            { event_type: 'closed', description: 'It closed' },
          ],
        }),
      );
      assert.deepEqual(
        events.map(({ type, payloadSchema }) => [type, payloadSchema]),
        [
          ['changed', payload_schema],
          ['closed', undefined],
        ],
      );
      assert.match(events[0]?.digest ?? '', /^[0-9a-f]{64}$/);
    });

    it('[R11] a signature may be null or absent: that is for the verification to refuse', () => {
      assert.isNull(parse(manifestWith({ signature: null })).signature);
      assert.isUndefined(parse(VECTORS.M0).signature);
    });

    it('[R19] takes each category of the taxonomy and no other', () => {
      for (const category of CATEGORIES) assert.equal(capability({ category }).category, category);
      assert.equal(at(capabilityWith({ category: 'OTHER' })), `SchemaViolation ${C}/category`);
    });

    it('[R35] reads are given more invocations per turn than anything else', () => {
      const perTurn = (side_effects: string) => capability({ side_effects }).bounds.maxInvocationsPerTurn;
      assert.deepEqual(
        ['none', 'read', 'write', 'destructive', 'network', 'system'].map(perTurn),
        [50, 50, 10, 10, 10, 10],
      );
    });

    it('reads revision, activation and locales of the app', () => {
      const manifest = parse(
        manifestWith({ revision: 0, activation: 'dbus', locales: { de: { name: 'Dateien' } } }),
      );
      assert.deepInclude<object>(manifest, {
        revision: 0,
        activation: 'dbus',
        locales: { de: { name: 'Dateien' } },
      });
      assert.equal(
        parse(manifestWith({ revision: Number.MAX_SAFE_INTEGER })).revision,
        Number.MAX_SAFE_INTEGER,
      );
    });

    it('[R28] the digest of a definition depends on all of it, on its app, and not on how it is written', () => {
      const digest = capability().digest;
      assert.equal(capability({ name: 'Open' }).digest, digest);
      const reordered = Object.fromEntries(Object.entries(first()).toReversed());
      assert.equal(parse(manifestWith({ capabilities: [reordered] })).capabilities[0]?.digest, digest);
      assert.notEqual(capability({ preview: false }).digest, digest);
      assert.notEqual(parse(manifestWith({ app_id: 'org.gnome.nautilus' })).capabilities[0]?.digest, digest);
    });

    it('[R28] [R29] one id may be declared in several versions', () => {
      const { capabilities } = parse(
        manifestWith({ capabilities: [first(), { ...first(), version: '2.0' }] }),
      );
      assert.deepEqual(
        capabilities.map(({ version }) => version),
        ['1.0', '2.0'],
      );
    });
  });
});
