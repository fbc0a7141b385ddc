// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import type { Attempt } from '../../../broker/intent/attempt.ts';
import type { Action } from '../../../broker/intent/handle.ts';
import type { Prepared } from '../../../broker/intent/prepare.ts';
import { type Provider, Providers } from '../../../broker/provider/providers.ts';
import { ProviderFailure } from '../../../broker/provider/result.ts';
import { parseAppId } from '../../../keys/app-id.ts';
import { type Entry, Registry } from '../../../manifests/registry.ts';
import { APP, BUILTINS, id, manifest } from '../intent/fixture-app.ts';
import { INTENT } from '../intent/world.ts';

const INVOKE: Action = { kind: 'invoke', intent: { ...INTENT, capability: id('read'), params: '{}' } };

describe('Providers', () => {
  const provider = (more: Partial<Provider> = {}): Provider => ({
    appId: APP,
    connection: ':1.5',
    path: '/p',
    binding: 'unit',
    unsigned: false,
    ...more,
  });
  const registry = new Registry();
  for (const capability of BUILTINS) registry.addBuiltin(capability);
  registry.freezeBuiltins();
  registry.register({ manifest: manifest(), keyFingerprint: 'f', provider: ':1.5', binding: 'unit' });
  const entry = (name: string) => {
    const found = registry.resolve(name, undefined, registry.epoch);
    if (typeof found === 'string') throw new Error(found);
    return found;
  };
  const read = entry(id('read'));
  const echo = entry('test.echo');

  let providers: Providers;
  let quarantined: string[];
  let stops: string[];
  const run = (one: Entry) => providers.run(INVOKE, { entry: one } as Prepared, {} as Attempt);
  beforeEach(() => {
    quarantined = [];
    stops = [];
    providers = new Providers({
      builtins: new Map(),
      call: ({ connection }, _action, _ready, _attempt, left) =>
        new Promise((_, reject) => {
          left.addEventListener('abort', () => {
            stops.push(connection);
            reject(new Error('told to stop'));
          });
        }),
      strikes: 2,
      quarantine: ({ connection }) => quarantined.push(connection),
    });
  });

  it('finds a provider by its connection and by its app, until it goes', () => {
    providers.add(provider());
    assert.equal(providers.get(':1.5')?.appId, APP);
    assert.equal(providers.ofApp(APP)?.connection, ':1.5');
    assert.equal(providers.remove(':1.5')?.connection, ':1.5');
    assert.isUndefined(providers.get(':1.5'));
    assert.isUndefined(providers.ofApp(APP));
    assert.isUndefined(providers.remove(':1.5'));
  });

  it('has nothing to run for an app whose connection is another app by now', async () => {
    providers.add(provider({ appId: parseAppId('org.example.Other') }));
    assert.equal(providers.binding(read), 'unbound');
    assert.deepEqual(providers.standing(read, 'undetermined'), { bound: false, signed: false });
    const failure = await run(read).catch((error: unknown) => error);
    assert.instanceOf(failure, ProviderFailure);
    assert.deepEqual([failure.code, failure.says], ['ProviderGone', 'failed']);
  });

  for (const [how, end] of [
    ['goes', () => providers.remove(':1.5')],
    ['registers anew', () => providers.add(provider({ path: '/other' }))],
  ] as const) {
    it(`[R137] what an app is running stops when it ${how}, and no one else's does`, async () => {
      providers.add(provider());
      providers.add(provider({ appId: parseAppId('org.example.Other'), connection: ':1.6' }));
      const stopped = run(read).catch((error: unknown) => error);
      providers.remove(':1.6');
      await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(stops, []);
      end();
      assert.deepEqual(stops, [':1.5']);
      assert.instanceOf(await stopped, Error);
    });
  }

  it('knows how well the process behind a capability is known', () => {
    assert.deepEqual(providers.standing(read, 'undetermined'), { bound: false, signed: false });
    assert.equal(providers.binding(read), 'unbound');
    providers.add(provider());
    assert.deepEqual(providers.standing(read, 'undetermined'), { bound: true, signed: true });
    assert.equal(providers.binding(read), 'unit');
    providers.add(provider({ binding: 'unbound', unsigned: true }));
    assert.deepEqual(providers.standing(read, 'undetermined'), { bound: false, signed: false });
  });

  it("vouches for the broker's own, but not for the app that one is about", () => {
    const about = [{ kind: 'app', value: APP }] as const;
    assert.equal(providers.binding(echo), 'builtin');
    assert.deepEqual(providers.standing(echo, 'undetermined'), { bound: true, signed: true });
    assert.deepEqual(providers.standing(echo, [{ kind: 'text', value: APP }]), { bound: true, signed: true });
    assert.deepEqual(providers.standing(echo, about), { bound: false, signed: false });
    providers.add(provider({ unsigned: true }));
    assert.deepEqual(providers.standing(echo, about), { bound: true, signed: false });
    assert.deepEqual(providers.standing(echo, [...about, { kind: 'app', value: 'org.example.Absent' }]), {
      bound: false,
      signed: false,
    });
  });

  it('[R70] counts broken bounds for each provider, and forgets them when it registers anew', () => {
    providers.add(provider());
    providers.brokeBound(read);
    providers.add(provider());
    providers.brokeBound(read);
    assert.deepEqual(quarantined, []);
    providers.brokeBound(read);
    assert.deepEqual(quarantined, [':1.5']);
  });

  it("[R70] counts nothing for the broker's own and for who is gone", () => {
    for (const one of [echo, read, echo, read, echo, read]) providers.brokeBound(one);
    assert.deepEqual(quarantined, []);
  });
});
