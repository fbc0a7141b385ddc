// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { Records } from '../../broker/audit/records.ts';
import { CallError } from '../../broker/bus/errors.ts';
import type { Session } from '../../broker/bus/sessions.ts';
import { DEFAULTS } from '../../broker/config.ts';
import type { AppBinding } from '../../broker/identity/app-binding.ts';
import { manifestReader } from '../../broker/manifest-reader.ts';
import { type Provider, Providers } from '../../broker/provider/providers.ts';
import { Registration } from '../../broker/registration.ts';
import { openStore, type Store } from '../../broker/store/database.ts';
import { Definitions } from '../../broker/store/definitions.ts';
import { StoreError } from '../../broker/store/error.ts';
import { type Change, Registry } from '../../manifests/registry.ts';
import {
  capabilityWith,
  type Json,
  KEY,
  keyring,
  manifestOf,
  manifestWith,
  OTHER_SEED,
  sign,
} from '../manifests/fixtures.ts';
import { session } from './session.ts';
import { type Temporary, temporaryDirectory } from './store/temporary.ts';

const APP = 'org.gnome.Nautilus';
const ID = 'files.org.gnome.nautilus.open';

describe('Registration', () => {
  let directory: Temporary;
  let store: Store;
  let records: Records;
  let registry: Registry;
  let providers: Providers;
  let changes: Change[];
  let faults: unknown[];
  let trusted: boolean;
  let writable: boolean;
  let binding: AppBinding;
  let registration: Registration;

  beforeEach(() => {
    directory = temporaryDirectory();
    store = openStore({ directory: directory.in('store') });
    records = new Records({ store, now: () => 5 });
    registry = new Registry();
    registry.freezeBuiltins();
    providers = new Providers({
      builtins: new Map(),
      call: () => Promise.reject(new Error('not called here')),
      strikes: 1,
      quarantine: (provider) => registration.quarantine(provider),
    });
    changes = [];
    faults = [];
    trusted = true;
    writable = true;
    binding = { binding: 'unit' };
    registration = makeRegistration(false);
  });
  afterEach(() => {
    records.close();
    store.close();
    directory.remove();
  });

  function makeRegistration(acceptUnsigned: boolean, mostProviders = 2): Registration {
    const keys = keyring({ [APP]: [KEY], 'org.gnome.nautilus': [KEY], 'org.other.App': [KEY] });
    const development = { acceptUnsigned, launcher: { pid: 1, startTime: '1' } };
    return new Registration({
      registry,
      providers,
      definitions: new Definitions(store),
      records: {
        append: (event, durability) =>
          writable
            ? records.append(event, durability)
            : Promise.reject(new StoreError('StoreFull', 'the disk is full')),
      },
      ...manifestReader(keys, { manifests: DEFAULTS.manifests, development }),
      bind: () => binding,
      isTrusted: () => trusted,
      now: () => 5,
      mostProviders,
      changed: (change) => changes.push(change),
      fault: (error) => {
        faults.push(error);
        return 'f';
      },
    });
  }
  const register = (manifest: Json | string, connection = ':1.1') =>
    registration.register(
      session(connection),
      typeof manifest === 'string' ? manifest : JSON.stringify(manifest),
      '/portal',
    );
  const available = (): readonly string[] => registry.list().map(({ capability }) => capability.id);
  const recorded = (): readonly string[] =>
    records.query().map(({ event }) => [event?.type, event?.code ?? event?.appId].join(' '));
  const reasonOf = (details: Readonly<Record<string, unknown>>): unknown => Object(details.reason).code;

  it('[R1] [R5] a signed manifest makes its app Tier 1 and its capabilities available', async () => {
    const { tier, details } = await register(sign(manifestWith({})));
    assert.equal(tier, 1);
    assert.deepInclude(details, { app_id: APP, capabilities: [ID], binding: 'unit' });
    assert.deepEqual(available(), [ID]);
    assert.equal(providers.ofApp(APP)?.path, '/portal');
    assert.deepEqual(recorded(), [`registered ${APP}`]);
    assert.equal(registration.standingOf(session(':1.1'))?.appId, APP);
    assert.equal(registration.epoch, registry.epoch);
    assert.deepInclude(registration.apps()[0], { app_id: APP, tier: 1, binding: 'unit', capabilities: 1 });
  });

  const bad: readonly [what: string, manifest: () => Json | string, code: string, listed: boolean][] = [
    ['no signature', () => manifestWith({}), 'SignatureMissing', true],
    ["somebody else's signature", () => sign(manifestWith({}), OTHER_SEED), 'SignatureWrong', true],
    ['an app without a key', () => sign(manifestOf('org.keyless.App')), 'KeyMissing', true],
    ['no JSON', () => 'manifest', 'JsonMalformed', false],
    ['no app id', () => sign({ capabilities: [] }), 'SchemaViolation', false],
  ];
  for (const [what, manifest, code, listed] of bad) {
    it(`[R6] ${what}: Tier 2 with the reason, and no error`, async () => {
      const { tier, details } = await register(manifest());
      assert.equal(tier, 2);
      assert.deepEqual(available(), []);
      assert.lengthOf(registry.apps(), listed ? 1 : 0);
      assert.deepEqual(recorded(), [`manifest-rejected ${String(reasonOf(details))}`]);
      assert.equal(reasonOf(details), code);
    });
  }

  it('[R6] a refused manifest does not leave the one before it in force', async () => {
    await register(sign(manifestWith({})));
    assert.equal((await register(manifestWith({}))).tier, 2);
    assert.deepEqual(available(), []);
    assert.isUndefined(providers.ofApp(APP));
    assert.equal(registry.apps()[0]?.tier, 2);
  });

  it("a bad manifest in another app's name does not touch that app", async () => {
    await register(sign(manifestWith({})));
    const { tier } = await register(manifestWith({}), ':1.2');
    assert.equal(tier, 2);
    assert.deepEqual(available(), [ID]);
  });

  it('[R122] a process that shows to be another app is refused', async () => {
    binding = { binding: 'unbound', contrary: 'sandbox' };
    const { details } = await register(sign(manifestWith({})));
    assert.equal(reasonOf(details), 'AppIdForeign');
    assert.deepEqual(available(), []);
  });

  describe('[R122] a second process', () => {
    const second = () => register(sign(manifestWith({})), ':1.2');

    for (const first of ['unbound', 'desktop-exe', 'launcher', 'unit', 'sandbox'] as const) {
      for (const its of ['unbound', 'desktop-exe', 'launcher', 'unit', 'sandbox'] as const) {
        const replaces = first === 'unbound' && its !== 'unbound';
        it(`known by ${its} ${replaces ? 'replaces' : 'does not replace'} one known by ${first}`, async () => {
          binding = { binding: first };
          await register(sign(manifestWith({})), ':1.1');
          binding = { binding: its };
          const { tier, details } = await second();
          assert.deepEqual([tier, reasonOf(details)], replaces ? [1, undefined] : [2, 'AlreadyRegistered']);
          assert.equal(providers.ofApp(APP)?.connection, replaces ? ':1.2' : ':1.1');
          assert.equal(providers.get(':1.1') === undefined, replaces);
          assert.deepEqual(available(), [ID]);
        });
      }
    }

    const failures: readonly [what: string, text: () => Json, code: string][] = [
      ['an older manifest', () => sign(manifestWith({ revision: 1 })), 'Rollback'],
      [
        'a changed definition',
        () => sign({ ...capabilityWith({ description: 'Other' }), revision: 2 }),
        'DefinitionChanged',
      ],
      ['a wrong signature', () => sign(manifestWith({ revision: 3 }), OTHER_SEED), 'SignatureWrong'],
    ];
    for (const [what, text, code] of failures) {
      it(`that comes with ${what} takes nothing from the first, however well it is known`, async () => {
        binding = { binding: 'unbound' };
        await register(sign(manifestWith({ revision: 2 })), ':1.1');
        binding = { binding: 'sandbox' };
        assert.equal(reasonOf((await register(text(), ':1.2')).details), code);
        assert.equal(providers.ofApp(APP)?.connection, ':1.1');
        assert.deepEqual(available(), [ID]);
      });
    }

    it('that cannot be recorded takes nothing from the first either', async () => {
      binding = { binding: 'unbound' };
      await register(sign(manifestWith({})), ':1.1');
      writable = false;
      binding = { binding: 'sandbox' };
      assert.instanceOf(await second().catch((error: unknown) => error), StoreError);
      assert.equal(providers.ofApp(APP)?.connection, ':1.1');
      assert.deepEqual(available(), [ID]);
    });

    it('at the same time: one of them is it, and the record says so of the other', async () => {
      const both = await Promise.all([register(sign(manifestWith({})), ':1.1'), second()]);
      assert.deepEqual(
        both.map(({ tier }) => tier),
        [1, 2],
      );
      assert.equal(reasonOf(both[1].details), 'AlreadyRegistered');
      assert.equal(providers.ofApp(APP)?.connection, ':1.1');
      assert.deepEqual(recorded(), [
        `registered ${APP}`,
        `registered ${APP}`,
        `unregistered ${APP}`,
        'manifest-rejected AlreadyRegistered',
      ]);
    });
  });

  describe('[R90] a connection that has left the bus', () => {
    const failing = (manifest: Json, from: Session): Promise<unknown> =>
      registration.register(from, JSON.stringify(manifest), '/portal').catch((error: unknown) => error);
    const nothingStays = (): void => {
      assert.deepEqual(registry.apps(), []);
      assert.deepEqual(available(), []);
      assert.isUndefined(providers.ofApp(APP));
    };
    const leave = (from: Session): void => {
      from.gone = true;
      registration.drop(from.connection);
    };

    for (const [what, manifest] of [
      ['good', () => sign(manifestWith({}))],
      ['refused', () => manifestWith({})],
    ] as const) {
      it(`before its ${what} manifest is looked at leaves nothing`, async () => {
        const from = session(':1.1');
        leave(from);
        assert.instanceOf(await failing(manifest(), from), CallError);
        nothingStays();
        assert.deepEqual(recorded(), []);
      });
    }

    it('while its registration is recorded leaves nothing, and blocks nobody', async () => {
      const from = session(':1.1');
      const late = failing(sign(manifestWith({})), from);
      leave(from);
      assert.instanceOf(await late, CallError);
      nothingStays();
      assert.equal((await register(sign(manifestWith({})), ':1.2')).tier, 1);
      assert.deepEqual(recorded(), [`registered ${APP}`, `unregistered ${APP}`, `registered ${APP}`]);
    });

    it('while its refusal is recorded leaves nothing', async () => {
      const from = session(':1.1');
      const late = failing(manifestWith({}), from);
      leave(from);
      await late;
      nothingStays();
    });
  });

  it('a key that is withdrawn while the registration is recorded admits nothing', async () => {
    const late = register(sign(manifestWith({})));
    trusted = false;
    assert.equal(reasonOf((await late).details), 'KeyUnusable');
    assert.deepEqual(available(), []);
  });

  it('[R125] [R28] a changed definition under the same id and version is refused', async () => {
    await register(sign(manifestWith({})));
    const { details } = await register(sign(capabilityWith({ description: 'Something else' })));
    assert.equal(reasonOf(details), 'DefinitionChanged');
    assert.deepEqual(available(), []);
  });

  it('[R126] an older manifest is refused, and one without an order says so', async () => {
    await register(sign(manifestWith({ revision: 2 })));
    assert.equal(reasonOf((await register(sign(manifestWith({ revision: 1 })))).details), 'Rollback');
    const { details } = await register(sign({ ...manifestOf('org.other.App'), version: 'nightly' }), ':1.2');
    assert.include(JSON.stringify(details.warnings), 'revision');
  });

  it('two apps with the same folded name: the second is refused, and what its connection had is told', async () => {
    await register(sign(manifestWith({})), ':1.1');
    await register(sign(manifestOf('org.other.App')), ':1.2');
    changes.length = 0;
    const { details } = await register(sign(manifestOf('org.gnome.nautilus')), ':1.2');
    assert.equal(reasonOf(details), 'AppIdCollides');
    assert.deepEqual(available(), [ID]);
    assert.deepEqual(
      changes.flatMap(({ removed }) => removed.map(({ capability }) => capability.id)),
      ['files.org.other.app.open'],
    );
    assert.isUndefined(registration.standingOf(session(':1.2')));
  });

  it('[R148] development accepts what does not claim to be signed, and says what that means', async () => {
    registration = makeRegistration(true);
    binding = { binding: 'launcher' };
    const { tier, details } = await register(manifestWith({}));
    assert.equal(tier, 1);
    assert.isTrue(providers.ofApp(APP)?.unsigned);
    assert.include(JSON.stringify(details.warnings), 'development only');
    await registration.unregister(session(':1.1'));
    assert.equal((await register({ ...manifestWith({}), signature: null })).tier, 1);
    assert.equal((await register({ ...manifestWith({}), signature: 'ed25519:x' })).tier, 2);
    assert.equal((await register(sign(manifestWith({})))).tier, 1);
    assert.isFalse(providers.ofApp(APP)?.unsigned);
  });

  it('an unbound app learns that everything will ask', async () => {
    binding = { binding: 'unbound' };
    const { details } = await register(sign(manifestWith({})));
    assert.include(JSON.stringify(details.warnings), 'every invocation asks');
  });

  it('[R72] what cannot be recorded did not happen', async () => {
    writable = false;
    const failed = await register(sign(manifestWith({}))).then(
      () => 'registered',
      (error: unknown) => error,
    );
    assert.instanceOf(failed, StoreError);
    assert.deepEqual(available(), []);
    assert.isUndefined(providers.ofApp(APP));
  });

  it('holds no more apps than it may', async () => {
    registration = makeRegistration(false, 1);
    await register(sign(manifestWith({})), ':1.1');
    const failed = await register(sign(manifestOf('org.other.App')), ':1.2').catch((error: unknown) => error);
    assert.instanceOf(failed, CallError);
    assert.equal((await register(sign(manifestWith({})), ':1.1')).tier, 1);
  });

  it('unregisters once, and is forgotten when the connection goes', async () => {
    await register(sign(manifestWith({})));
    await registration.unregister(session(':1.1'));
    await registration.unregister(session(':1.1'));
    assert.deepEqual(recorded(), [`registered ${APP}`, 'unregistered ']);
    assert.deepEqual(registry.apps(), []);
    await register(sign(manifestWith({})));
    assert.isTrue(registration.drop(':1.1'));
    assert.isFalse(registration.drop(':1.1'));
    assert.deepEqual(available(), []);
  });

  it('a withdrawn key ends at once what it verified', async () => {
    await register(sign(manifestWith({})));
    registration.recheckKeys();
    assert.deepEqual(available(), [ID]);
    trusted = false;
    registration.recheckKeys();
    registration.recheckKeys();
    await records.append({ type: 'stopped', time: 6 }, 'normal');
    assert.deepEqual(available(), []);
    assert.deepInclude(registration.apps()[0], { app_id: APP, tier: 2 });
    assert.deepEqual(recorded(), [`registered ${APP}`, `key-withdrawn ${APP}`, 'stopped ']);
  });

  for (const [what, notice] of [
    ['sends an event', () => assert.isUndefined(registration.standingOf(session(':1.1')))],
    ['is to be followed', () => assert.isFalse(registration.isAvailable(APP))],
    ['is listed for the person', () => assert.equal(registration.apps()[0]?.tier, 2)],
  ] as const) {
    it(`[R56] a withdrawn key is noticed when the app ${what}`, async () => {
      await register(sign(manifestWith({})));
      assert.isTrue(registration.isAvailable(APP));
      trusted = false;
      notice();
      assert.deepEqual(available(), []);
      assert.isUndefined(providers.ofApp(APP));
      await records.append({ type: 'stopped', time: 6 }, 'normal');
      assert.deepEqual(recorded(), [`registered ${APP}`, `key-withdrawn ${APP}`, 'stopped ']);
    });
  }

  it('a withdrawal that cannot be recorded is a withdrawal, and a fault', async () => {
    await register(sign(manifestWith({})));
    writable = false;
    trusted = false;
    registration.recheckKeys();
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(available(), []);
    assert.lengthOf(faults, 1);
  });

  it('an unsigned app has no key to be withdrawn', async () => {
    registration = makeRegistration(true);
    await register(manifestWith({}));
    trusted = false;
    registration.recheckKeys();
    assert.deepEqual(available(), [ID]);
  });

  it('[R70] an app that breaks its bounds is put out of service', async () => {
    await register(sign(manifestWith({})));
    const provider: Provider | undefined = providers.ofApp(APP);
    assert.isDefined(provider);
    registration.quarantine(provider);
    registration.quarantine(provider);
    await records.append({ type: 'stopped', time: 6 }, 'normal');
    assert.deepEqual(available(), []);
    assert.equal(Object(registration.apps()[0]?.reason).code, 'Quarantined');
    assert.deepEqual(recorded(), [`registered ${APP}`, 'unregistered Quarantined', 'stopped ']);
  });
});
