// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import fc from 'fast-check';
import { parseAppId } from '../../keys/app-id.ts';
import { parseBuiltin } from '../../manifests/builtin.ts';
import type { Capability } from '../../manifests/capability.ts';
import { parseVersion } from '../../manifests/id.ts';
import { type Change, type Entry, type Reason, Registry } from '../../manifests/registry.ts';
import { type Json, LIMITS, manifestOf, parse } from './fixtures.ts';

const NAUTILUS = 'org.gnome.Nautilus';
const OPEN = 'files.org.gnome.nautilus.open';
const V1 = parseVersion('1.0');
const V2 = parseVersion('2.0');
const REASON: Reason = { code: 'SignatureWrong', pointer: '/signature', message: 'it was changed' };

const builtin = (id: string, fields: Json = {}): Capability =>
  parseBuiltin(
    {
      id,
      name: 'Health',
      description: 'How this machine is',
      category: 'STATE_QUERY',
      parameters: {},
      returns: {},
      access: 'read',
      network: 'local',
      ...fields,
    },
    LIMITS,
  );

function frozen(...ids: string[]): Registry {
  const registry = new Registry();
  for (const id of ids) registry.addBuiltin(builtin(id));
  registry.freezeBuiltins();
  return registry;
}

const registration = (id: string, fields: Json = {}, provider = ':1.1') => ({
  manifest: parse(manifestOf(id, fields)),
  keyFingerprint: 'f0',
  provider,
  binding: 'unit',
});
const versions = (...all: string[]) => {
  const manifest = manifestOf(NAUTILUS);
  const [capability] = parseCapabilities(manifest);
  return {
    ...registration(NAUTILUS),
    manifest: parse({ ...manifest, capabilities: all.map((version) => ({ ...capability, version })) }),
  };
};
const parseCapabilities = (manifest: Json): Json[] =>
  Array.isArray(manifest.capabilities) ? manifest.capabilities : [];
/** A change with ids in place of entries, to compare at a glance. */
const brief = ({ epoch, added, removed }: Change) => ({
  epoch,
  added: added.map(({ capability }) => String(capability.id)),
  removed: removed.map(({ capability }) => String(capability.id)),
});
const found = (registry: Registry, id = OPEN, pinned = registry.epoch): Entry => {
  const entry = registry.resolve(id, undefined, pinned);
  if (typeof entry === 'string') return assert.fail(`${id} is ${entry}`);
  return entry;
};

describe('manifests/registry', () => {
  describe('its own capabilities', () => {
    it('[R143] [R12] are there from the start, and the freeze ends their making', () => {
      const registry = frozen('system.health', 'web.fetch');
      assert.deepInclude<object>(found(registry, 'system.health'), {
        source: 'builtin',
        appId: undefined,
        provider: undefined,
        since: 0,
      });
      assert.deepEqual(
        registry.list().map(({ capability }) => capability.id),
        ['system.health', 'web.fetch'],
      );
      assert.throws(() => registry.addBuiltin(builtin('system.other')), /frozen/);
      assert.equal(registry.resolve('system.other', undefined, registry.epoch), 'NotFound');
    });

    it('[R14] registering after the freeze is a fault, not an outcome', () => {
      assert.throws(
        () => frozen().addBuiltin(builtin('system.health')),
        Error,
        /`system.health` came too late/,
      );
    });

    it('[R143] the same one twice is a fault; another version is not', () => {
      const registry = new Registry();
      registry.addBuiltin(builtin('system.health'));
      assert.throws(() => registry.addBuiltin(builtin('system.health', { name: 'Other' })), Error, /twice/);
      registry.addBuiltin(builtin('system.health', { version: '2.0' }));
    });

    it('[R143] nothing is served before they are complete', () => {
      const registry = new Registry();
      assert.throws(() => registry.resolve('system.health', undefined, 0), Error, /in use before/);
      assert.throws(() => registry.register(registration(NAUTILUS)), Error, /in use before/);
    });
  });

  describe('apps', () => {
    it('[R1] a registered app is Tier 1 with what it declared', () => {
      const registry = frozen('system.health');
      assert.deepEqual(brief(registry.register(registration(NAUTILUS))), {
        epoch: 1,
        added: [OPEN],
        removed: [],
      });
      assert.deepInclude<object>(found(registry), {
        source: 'app',
        appId: NAUTILUS,
        keyFingerprint: 'f0',
        provider: ':1.1',
        since: 1,
      });
      assert.deepEqual(registry.apps(), [
        {
          appId: parseAppId(NAUTILUS),
          tier: 1,
          provider: ':1.1',
          binding: 'unit',
          capabilities: [found(registry).capability.id],
          events: [],
        },
      ]);
      assert.deepEqual(registry.standing(parseAppId(NAUTILUS)), registry.apps()[0]);
      assert.isUndefined(registry.standing(parseAppId('org.other')));
    });

    it('[R149] an installed app that is not running is available without a provider', () => {
      const registry = frozen();
      registry.register({ ...registration(NAUTILUS), provider: undefined });
      registry.register({ ...registration('org.other'), provider: undefined });
      assert.isUndefined(found(registry).provider);
      assert.lengthOf(registry.list(), 2);
      const change = brief(registry.register(registration(NAUTILUS)));
      assert.deepEqual(change, { epoch: 3, added: [], removed: [] });
      assert.deepInclude<object>(found(registry), { provider: ':1.1', since: 1 });
    });

    it('[R6] a refused manifest lists the app in Tier 2 and ends the one before it', () => {
      const registry = frozen();
      registry.register(registration(NAUTILUS));
      const change = brief(
        registry.refuse({
          appId: parseAppId(NAUTILUS),
          provider: ':1.1',
          binding: 'unit',
          reason: REASON,
        }),
      );
      assert.deepEqual(change, { epoch: 2, added: [], removed: [OPEN] });
      assert.equal(registry.resolve(OPEN, V1, registry.epoch), 'NotFound');
      assert.deepInclude<object>(registry.apps()[0] ?? {}, {
        tier: 2,
        reason: REASON,
        capabilities: [],
        events: [],
      });
    });

    it('[R17] of two app ids with one fold the second is refused, until the first is gone', () => {
      const registry = frozen();
      registry.register(registration(NAUTILUS));
      const twin = parseAppId('org.gnome.nauti-lus');
      const change = brief(registry.register(registration(twin, {}, ':1.2')));
      assert.deepEqual(change, { epoch: 2, added: [], removed: [] });
      assert.equal(registry.standing(twin)?.reason?.code, 'AppIdCollides');
      assert.include(registry.standing(twin)?.reason?.message, '`org.gnome.Nautilus`');
      assert.equal(found(registry).appId, NAUTILUS);
      registry.withdraw({ appId: parseAppId(NAUTILUS) });
      assert.deepEqual(brief(registry.register(registration(twin, {}, ':1.2'))).added, [OPEN]);
      assert.deepInclude<object>(found(registry), { appId: twin, since: 4 });
    });

    it('[R17] an app in Tier 2 holds no name against another', () => {
      const registry = frozen();
      registry.refuse({
        appId: parseAppId('org.gnome.nautilus'),
        provider: ':1.2',
        binding: 'pid',
        reason: REASON,
      });
      assert.deepEqual(brief(registry.register(registration(NAUTILUS))).added, [OPEN]);
    });

    describe('in Tier 2', () => {
      const refuse = (registry: Registry, name: string, owner?: string) =>
        registry.refuse({
          appId: parseAppId(`org.${name}`),
          provider: `:1.${name}`,
          binding: 'unbound',
          reason: REASON,
          ...(owner === undefined ? {} : { owner }),
        });
      const names = (registry: Registry) => registry.apps().map(({ appId }) => appId.slice(4));

      it('are so many of one owner, and its oldest goes', () => {
        const registry = new Registry({ maxRefused: 100, maxRefusedOfOne: 2 });
        registry.freezeBuiltins();
        refuse(registry, 'b', '1');
        for (const name of ['a', 'c', 'd']) refuse(registry, name, '0');
        assert.deepEqual(names(registry), ['b', 'c', 'd']);
        refuse(registry, 'c', '0'); // again, so it is the newest now
        refuse(registry, 'e', '0');
        assert.deepEqual(names(registry), ['b', 'c', 'e']);
      });

      it('are so many altogether, and the oldest of whoever has most goes', () => {
        const registry = new Registry({ maxRefused: 4, maxRefusedOfOne: 4 });
        registry.freezeBuiltins();
        registry.register(registration(NAUTILUS));
        refuse(registry, 'known');
        for (const name of ['a', 'c', 'd']) refuse(registry, name, '0');
        refuse(registry, 'b', '1');
        assert.deepEqual(names(registry), ['gnome.Nautilus', 'known', 'c', 'd', 'b']);
        assert.equal(found(registry).appId, NAUTILUS);
      });

      it('leave as they are what can be called', () => {
        const registry = frozen();
        registry.register(registration(NAUTILUS));
        const before = registry.resolve(OPEN, V1, registry.epoch);
        const change = brief(refuse(registry, 'a', '0'));
        assert.deepEqual(change, { epoch: 2, added: [], removed: [] });
        assert.equal(registry.resolve(OPEN, V1, registry.epoch), before);
      });
    });

    it('one connection is one app', () => {
      const registry = frozen();
      registry.register(registration(NAUTILUS));
      const change = brief(registry.register(registration('org.other')));
      assert.deepEqual(change.removed, [OPEN]);
      assert.isUndefined(registry.standing(parseAppId(NAUTILUS)));
    });
  });

  describe('withdrawing', () => {
    it("takes an app's or a connection's capabilities away at once", () => {
      for (const who of [{ appId: parseAppId(NAUTILUS) }, { provider: ':1.1' }]) {
        const registry = frozen('system.health');
        const { epoch } = registry.register(registration(NAUTILUS));
        assert.deepEqual(brief(registry.withdraw(who)), { epoch: 2, added: [], removed: [OPEN] });
        assert.equal(registry.resolve(OPEN, undefined, epoch), 'NotFound');
        assert.isEmpty(registry.apps());
        assert.lengthOf(registry.list(), 1);
      }
    });

    it('[R126] with a reason the app stays listed in Tier 2', () => {
      const registry = frozen();
      registry.register(registration(NAUTILUS));
      const reason: Reason = { code: 'KeyMissing', pointer: '/app_id', message: 'the key was removed' };
      assert.deepEqual(brief(registry.withdraw({ appId: parseAppId(NAUTILUS) }, reason)).removed, [OPEN]);
      assert.deepInclude<object>(registry.apps()[0] ?? {}, {
        tier: 2,
        reason,
        provider: ':1.1',
        binding: 'unit',
      });
    });

    it('what is not there changes nothing, nor does a connection that was replaced', () => {
      const registry = frozen();
      registry.register(registration(NAUTILUS, {}, ':1.1'));
      registry.register(registration(NAUTILUS, {}, ':1.2'));
      assert.deepEqual(brief(registry.withdraw({ provider: ':1.1' })), { epoch: 2, added: [], removed: [] });
      assert.deepEqual(brief(registry.withdraw({ appId: parseAppId('org.other') }, REASON)), {
        epoch: 2,
        added: [],
        removed: [],
      });
      assert.equal(found(registry).provider, ':1.2');
    });
  });

  describe('resolving', () => {
    it('[R61] [R15] is exact: no other id, version or case', () => {
      const registry = frozen('system.health');
      registry.register(registration(NAUTILUS));
      for (const id of [
        'files.org.gnome.nautilus',
        'files.org.gnome.Nautilus.open',
        `${OPEN} `,
        'open',
        '',
        'system',
        '__proto__',
        'toString',
      ]) {
        assert.equal(registry.resolve(id, undefined, registry.epoch), 'NotFound', id);
      }
      assert.equal(registry.resolve(OPEN, V2, registry.epoch), 'NotFound');
    });

    it('[R61] [R29] without a version only where there is one to choose', () => {
      const registry = frozen();
      const { added } = brief(registry.register(versions('2.0', '1.0')));
      assert.deepEqual(added, [OPEN, OPEN]);
      assert.equal(registry.resolve(OPEN, undefined, registry.epoch), 'Ambiguous');
      const one = registry.resolve(OPEN, V1, registry.epoch);
      assert.isTrue(typeof one === 'object' && one.capability.version === V1);
      assert.deepEqual(
        registry.list().map(({ capability }) => capability.version),
        ['1.0', '2.0'],
      );
      assert.lengthOf(registry.apps()[0]?.capabilities ?? [], 1);
    });

    it('[R12] who is pinned to an epoch sees no later addition, and every removal', () => {
      const registry = frozen();
      registry.register(versions('1.0'));
      const pinned = registry.epoch;
      registry.register(versions('1.0', '2.0'));
      assert.equal(found(registry, OPEN, pinned).capability.version, '1.0');
      assert.lengthOf(registry.list(pinned), 1);
      assert.equal(registry.resolve(OPEN, V2, pinned), 'NotFound');
      assert.equal(registry.resolve(OPEN, undefined, registry.epoch), 'Ambiguous');
      registry.register(versions('2.0'));
      assert.equal(registry.resolve(OPEN, undefined, pinned), 'NotFound');
    });

    it('[R28] [R125] a changed definition is new, and the same one that comes back is not', () => {
      const registry = frozen();
      registry.register(registration(NAUTILUS));
      const pinned = registry.epoch;
      registry.withdraw({ provider: ':1.1' });
      registry.register(registration(NAUTILUS));
      assert.deepInclude<object>(found(registry, OPEN, pinned), { since: 1 });
      const change = brief(registry.register(registration(NAUTILUS, { side_effects: 'none' })));
      assert.deepEqual([change.added, change.removed], [[OPEN], [OPEN]]);
      assert.equal(registry.resolve(OPEN, V1, pinned), 'NotFound');
      assert.equal(found(registry).since, registry.epoch);
    });
  });

  it('a listing that was taken does not change afterwards', () => {
    const registry = frozen('system.health');
    registry.register(registration(NAUTILUS));
    const [listing, apps] = [registry.list(), registry.apps()];
    registry.withdraw({ provider: ':1.1' });
    assert.lengthOf(listing, 2);
    assert.lengthOf(apps, 1);
  });

  it('behaves like its model under any sequence of steps', () => {
    const apps = ['org.a', 'org.A', 'org.b'];
    const variants = [{}, { preview: true }, { version: '2.0' }];
    const step = fc.record({
      kind: fc.constantFrom('register', 'refuse', 'withdraw', 'gone'),
      app: fc.constantFrom(...apps),
      variant: fc.constantFrom(...variants),
      provider: fc.constantFrom(':1.1', ':1.2', ':1.3'),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        const registry = frozen('system.health');
        /** App id to provider and definition; a definition is undefined in Tier 2. */
        const model = new Map<string, { provider: string; digest: string | undefined }>();
        for (const { kind, app, variant, provider } of steps) {
          const appId = parseAppId(app);
          const before = registry.list().map(({ capability }) => capability.digest);
          if (kind === 'register' || kind === 'refuse') {
            const given = registration(app, variant, provider);
            const rival = [...model].some(
              ([id, { digest }]) => id !== app && id.toLowerCase() === app.toLowerCase() && digest,
            );
            for (const [id, held] of model) if (held.provider === provider) model.delete(id);
            model.set(app, {
              provider,
              digest: kind === 'register' && !rival ? given.manifest.capabilities[0]?.digest : undefined,
            });
            if (kind === 'register') registry.register(given);
            else registry.refuse({ appId, provider, binding: 'unit', reason: REASON });
          } else if (kind === 'withdraw') {
            model.delete(app);
            registry.withdraw({ appId });
          } else {
            for (const [id, held] of model) if (held.provider === provider) model.delete(id);
            registry.withdraw({ provider });
          }
          const expected = [...model.values()].flatMap(({ digest }) => digest ?? []);
          const entries = registry.list().filter(({ source }) => source === 'app');
          assert.sameMembers(
            entries.map(({ capability }) => capability.digest),
            expected,
          );
          assert.sameMembers(
            registry.apps().map(({ appId: id }) => String(id)),
            [...model.keys()],
          );
          for (const entry of entries) {
            const {
              capability: { id, version, digest },
              since,
            } = entry;
            assert.strictEqual(registry.resolve(id, version, registry.epoch), entry);
            assert.strictEqual(registry.resolve(id, version, since), entry);
            assert.equal(registry.resolve(id, version, since - 1), 'NotFound');
            if (!before.includes(digest)) assert.isAtMost(since, registry.epoch);
          }
          assert.equal(found(registry, 'system.health', 0).source, 'builtin');
        }
      }),
      { numRuns: 200 },
    );
  });
});
