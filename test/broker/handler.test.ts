// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert } from 'chai';
import { PROVIDER } from '../../broker/bus/names.ts';
import {
  BrokerError,
  CapabilityError,
  type CapabilityHandler,
  HandlerError,
  type ServeCapabilitiesOptions,
  type Served,
  type Standing,
  serveCapabilities,
} from '../../broker/handler.ts';
import { startPrivateBus } from '../../dbus/daemon.ts';
import { DBusError } from '../../dbus/error.ts';
import { variant } from '../../dbus/values.ts';
import { useBus } from '../support/bus.ts';
import { FakeBroker } from './fake-broker.ts';
import { Inbox } from './inbox.ts';

const CAPABILITY = 'x.org.example.app.do';
// Spaces and an order that no serializer would give: the broker must get these very bytes.
const MANIFEST = `{ "capabilities": [ {"id": "${CAPABILITY}"} ],\n "app_id": "org.example.App" }`;
const CONTEXT = {
  source: variant('s', 'SystemIntelligence'),
  timestamp: variant('s', '2026-11-30T12:00:00.000Z'),
  app_id: variant('s', 'org.example.App'),
  principal: variant('s', 'agent'),
};

describe('serveCapabilities', () => {
  const bus = useBus();
  let broker: FakeBroker;
  const open: Served[] = [];

  beforeEach(async () => {
    broker = await FakeBroker.start(bus);
    broker.acceptApps();
  });

  afterEach(async () => {
    await Promise.all(open.splice(0).map((served) => served.close()));
    await broker.stop();
  });

  async function serve(
    handler: Partial<CapabilityHandler> = {},
    options: ServeCapabilitiesOptions = {},
  ): Promise<{
    served: Served;
    call: (member: string, signature: string, body: readonly unknown[]) => Promise<unknown>;
  }> {
    const full = { manifest: Buffer.from(MANIFEST), invoke: async () => ({ success: true }), ...handler };
    const served = await serveCapabilities(full, { address: bus.address, ...options });
    open.push(served);
    const name = broker.called('Register').at(-1)?.sender ?? '';
    const call = async (member: string, signature: string, body: readonly unknown[]): Promise<unknown> =>
      (await broker.call(name, '/org/portal/provider', PROVIDER, member, signature, body))[0];
    return { served, call };
  }

  function invoke(
    id = 'i1',
    params = '{}',
    context: Record<string, unknown> = CONTEXT,
    capability = CAPABILITY,
  ) {
    return ['Invoke', 'sssa{sv}', [id, capability, params, context]] as const;
  }

  async function failure(promise: Promise<unknown>): Promise<{ name: string; text: string }> {
    const error = await promise.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!(error instanceof DBusError)) throw new Error('expected an error reply', { cause: error });
    return { name: error.name.replace('org.portal.Broker1.Error.', ''), text: error.message };
  }

  it('[R45] registers the very bytes of the manifest, and offers what they declare', async () => {
    const { served } = await serve();
    assert.deepEqual(
      broker.called('Register').map(({ args }) => args),
      [[MANIFEST, '/org/portal/provider', []]],
    );
    assert.deepEqual(served.standing, {
      tier: 1,
      appId: 'org.example.App',
      capabilities: [CAPABILITY],
      binding: 'test',
      warnings: [],
    });
  });

  it('[R45] reads a manifest from its file again at every registration', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'portal-handler-'));
    try {
      const path = join(folder, 'manifest.json');
      writeFileSync(path, MANIFEST);
      const standings = new Inbox<Standing>();
      await serve({ manifest: path }, { onStanding: standings.put });
      await standings.next();
      const changed = MANIFEST.replace('x.org', 'y.org');
      writeFileSync(path, changed);
      await broker.stop();
      await standings.next();
      broker = await FakeBroker.start(bus);
      broker.acceptApps();
      await standings.next();
      assert.equal(broker.called('Register')[0]?.args[0], changed);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('[R45] [R47] gives invoke the capability, the parameters and who wants it when', async () => {
    const seen = new Inbox<unknown[]>();
    const { call } = await serve({
      invoke: async (...all) => {
        seen.put(all);
        return { success: true };
      },
    });
    const context = {
      ...CONTEXT,
      session_id: variant('s', 's-1'),
      locale: variant('s', 'de'),
      new_one: variant('u', 1),
    };
    await call(...invoke('i7', '{"a":[1,null]}', context));
    const [capability, params, received] = await seen.next();
    const { signal, ...rest } = Object(received);
    assert.equal(capability, CAPABILITY);
    assert.deepEqual(params, { a: [1, null] });
    assert.deepEqual(rest, {
      invocation: 'i7',
      sessionId: 's-1',
      source: 'SystemIntelligence',
      timestamp: new Date('2026-11-30T12:00:00Z'),
      appId: 'org.example.App',
      principal: 'agent',
      locale: 'de',
    });
    assert.isFalse(signal.aborted);
  });

  for (const [what, context] of Object.entries({
    'another source': { ...CONTEXT, source: variant('s', 'Somebody') },
    'no source': { ...CONTEXT, source: variant('u', 1) },
    'no principal': { source: CONTEXT.source, timestamp: CONTEXT.timestamp, app_id: CONTEXT.app_id },
    'a timestamp that is none': { ...CONTEXT, timestamp: variant('s', 'today') },
  })) {
    it(`[R48] refuses a context with ${what}, and runs nothing`, async () => {
      let ran = false;
      const { call } = await serve({
        invoke: async () => {
          ran = true;
          return { success: true };
        },
      });
      const { name } = await failure(call(...invoke('i1', '{}', context)));
      assert.equal(name, 'org.freedesktop.DBus.Error.InvalidArgs');
      assert.isFalse(ran);
    });
  }

  it('[R49] answers with success, data, the state after and the undo token', async () => {
    const { call } = await serve({
      invoke: async () => ({ success: false, data: { n: 1 }, stateAfter: [2], undoToken: 't' }),
    });
    assert.equal(
      await call(...invoke()),
      '{"success":false,"data":{"n":1},"state_after":[2],"undo_token":"t"}',
    );
  });

  it('[R49] answers with null for what a result leaves out', async () => {
    const { call } = await serve();
    assert.equal(
      await call(...invoke()),
      '{"success":true,"data":null,"state_after":null,"undo_token":null}',
    );
  });

  for (const [error, name, fields] of [
    [
      new CapabilityError({ code: 'NotFound', message: 'no such note' }),
      'NotFound',
      { message: 'no such note' },
    ],
    [
      new CapabilityError({ code: 'InvalidParams', message: 'too long' }),
      'InvalidParams',
      { message: 'too long' },
    ],
    [
      new CapabilityError({ code: 'ExecutionFailed', reason: 'disk full', recoverable: true }),
      'ExecutionFailed',
      { reason: 'disk full', recoverable: true },
    ],
    [
      new CapabilityError({ code: 'PermissionDenied', reason: 'read-only' }),
      'PermissionDenied',
      { reason: 'read-only' },
    ],
    [
      new CapabilityError({ code: 'Timeout', capabilityId: CAPABILITY, elapsedMs: 1500 }),
      'Timeout',
      { message: 'gave up after 1500 ms', capability_id: CAPABILITY, elapsed_ms: 1500 },
    ],
    [
      new CapabilityError({ code: 'AppUnresponsive', appId: 'org.example.Helper' }),
      'AppUnresponsive',
      { message: '`org.example.Helper` does not answer', app_id: 'org.example.Helper' },
    ],
  ] as const) {
    it(`[R50] reports ${name} with its fields`, async () => {
      const { call } = await serve({ invoke: async () => Promise.reject(error) });
      const said = await failure(call(...invoke()));
      assert.equal(said.name, name);
      assert.deepEqual(JSON.parse(said.text), fields);
    });
  }

  it('[R50] says nothing of what else is thrown, so that nobody takes it for a clean failure', async () => {
    const faults = new Inbox<unknown>();
    const bug = new TypeError('secret /home/me');
    const { call } = await serve({ invoke: async () => Promise.reject(bug) }, { onFault: faults.put });
    const said = await failure(call(...invoke()));
    assert.deepEqual(said, { name: 'org.freedesktop.DBus.Error.Failed', text: 'the app failed' });
    assert.equal(await faults.next(), bug);
  });

  it('[R46] lets the app refuse parameters before anything runs, and says why', async () => {
    let ran = 0;
    const { call } = await serve({
      validateParams: (_id, { from, to }) => {
        if (Number(from) > Number(to))
          throw new CapabilityError({ code: 'InvalidParams', message: '`from` is after `to`' });
      },
      invoke: async () => {
        ran += 1;
        return { success: true };
      },
    });
    const said = await failure(call(...invoke('i1', '{"from":2,"to":1}')));
    assert.equal(said.name, 'InvalidParams');
    assert.equal(ran, 0);
    await call(...invoke('i2', '{"from":1,"to":2}'));
    assert.equal(ran, 1);
  });

  it('[R46] answers ValidateParams with the verdict alone', async () => {
    await serve({
      validateParams: async (_id, { bad }) => {
        if (bad === true) throw new CapabilityError({ code: 'InvalidParams', message: 'bad is bad' });
      },
    });
    const name = broker.called('Register')[0]?.sender ?? '';
    const verdict = (params: string, capability = CAPABILITY) =>
      broker.call(name, '/org/portal/provider', PROVIDER, 'ValidateParams', 'ss', [capability, params]);
    assert.deepEqual(await verdict('{}'), [true, '']);
    assert.deepEqual(await verdict('{"bad":true}'), [false, 'bad is bad']);
    assert.deepEqual(await verdict('[]'), [false, 'the parameters are not a JSON object']);
    assert.deepEqual(await verdict('{'), [false, 'the parameters are not JSON']);
    assert.equal((await failure(verdict('{}', 'x.org.example.app.other'))).name, 'NotFound');
  });

  it('[R46] accepts everything that the schema accepts where the app has no rules of its own', async () => {
    const { call } = await serve();
    assert.equal(await call('ValidateParams', 'ss', [CAPABILITY, '{"any":1}']), true);
  });

  it('[R46] knows only what its manifest declares', async () => {
    const { call } = await serve();
    const said = await failure(call(...invoke('i1', '{}', CONTEXT, 'x.org.example.app.other')));
    assert.equal(said.name, 'NotFound');
  });

  it('[R133] answers nobody but the broker', async () => {
    let ran = false;
    const { call } = await serve({
      invoke: async () => {
        ran = true;
        return { success: true };
      },
      undo: async () => {
        ran = true;
        return { success: true };
      },
    });
    const stranger = await bus.connect();
    const destination = broker.called('Register')[0]?.sender ?? '';
    for (const [member, signature, body] of [
      invoke(),
      ['Cancel', 's', ['i1']],
      ['Undo', 'sa{sv}', ['t', CONTEXT]],
      ['ValidateParams', 'ss', [CAPABILITY, '{}']],
      ['Preview', 'ssa{sv}', [CAPABILITY, '{}', CONTEXT]],
    ] as const) {
      const made = {
        destination,
        path: '/org/portal/provider',
        interface: PROVIDER,
        member,
        signature,
        body,
      };
      assert.equal(
        (await failure(stranger.call(made))).name,
        'org.freedesktop.DBus.Error.AccessDenied',
        member,
      );
    }
    assert.isFalse(ran);
    await call(...invoke());
    assert.isTrue(ran);
  });

  it('[R133] takes nobody for the broker while there is none', async () => {
    const standings = new Inbox<Standing>();
    await serve({}, { onStanding: standings.put });
    await standings.next();
    const destination = broker.called('Register')[0]?.sender ?? '';
    await broker.stop();
    await standings.next();
    const stranger = await bus.connect();
    const [member, signature, body] = invoke();
    const made = { destination, path: '/org/portal/provider', interface: PROVIDER, member, signature, body };
    assert.equal((await failure(stranger.call(made))).name, 'org.freedesktop.DBus.Error.AccessDenied');
  });

  it('[R70] tells an invocation to stop when it is cancelled, and only that one', async () => {
    const signals = new Map<string, AbortSignal>();
    const started = new Inbox<string>();
    const { call } = await serve({
      invoke: async (_id, _params, { invocation, signal }) => {
        signals.set(invocation, signal);
        started.put(invocation);
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        throw new CapabilityError({ code: 'ExecutionFailed', reason: 'stopped', recoverable: true });
      },
    });
    const first = failure(call(...invoke('i1')));
    const second = failure(call(...invoke('i2')));
    await started.next();
    await started.next();
    await call('Cancel', 's', ['unknown']);
    await call('Cancel', 's', ['i1']);
    assert.equal((await first).name, 'ExecutionFailed');
    assert.isFalse(signals.get('i2')?.aborted);
    await call('Cancel', 's', ['i2']);
    await second;
  });

  it('refuses a second invocation under the id of one that runs, and of none that is over', async () => {
    const release = Promise.withResolvers<{ success: boolean }>();
    const started = new Inbox<true>();
    const { call } = await serve({
      invoke: async () => {
        started.put(true);
        return await release.promise;
      },
    });
    const first = call(...invoke('i1'));
    await started.next();
    assert.equal((await failure(call(...invoke('i1')))).name, 'org.freedesktop.DBus.Error.InvalidArgs');
    release.resolve({ success: true });
    await first;
    await call(...invoke('i1'));
  });

  it('[R70] tells what runs to stop when the broker goes away', async () => {
    const started = new Inbox<AbortSignal>();
    const { call } = await serve({
      invoke: async (_id, _params, { signal }) => {
        started.put(signal);
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        return { success: true };
      },
    });
    // Nobody is left to hear the answer, whatever it is.
    const running = call(...invoke()).catch(() => undefined);
    const signal = await started.next();
    const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    await broker.stop();
    await aborted;
    await running;
  });

  it('undoes with the token that the result held', async () => {
    const undone = new Inbox<string>();
    const { call } = await serve({
      undo: async (token) => {
        undone.put(token);
        return { success: true, data: 'back' };
      },
    });
    const answer = await call('Undo', 'sa{sv}', ['t-1', CONTEXT]);
    assert.equal(await undone.next(), 't-1');
    assert.include(String(answer), '"data":"back"');
  });

  it('can cancel an undoing that the context names', async () => {
    const started = new Inbox<string>();
    const { call } = await serve({
      undo: async (_token, { invocation, signal }) => {
        started.put(invocation);
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        throw new CapabilityError({ code: 'ExecutionFailed', reason: 'stopped', recoverable: false });
      },
    });
    const undoing = failure(call('Undo', 'sa{sv}', ['t', { ...CONTEXT, invocation: variant('s', 'u1') }]));
    assert.equal(await started.next(), 'u1');
    await call('Cancel', 's', ['u1']);
    assert.equal((await undoing).name, 'ExecutionFailed');
  });

  it('previews in words', async () => {
    const { call } = await serve({ preview: async (_id, { n }) => `would do ${n}` });
    assert.equal(await call('Preview', 'ssa{sv}', [CAPABILITY, '{"n":3}', CONTEXT]), 'would do 3');
  });

  it('has no Undo and no Preview where the app offers none', async () => {
    const { call } = await serve();
    const unknown = 'org.freedesktop.DBus.Error.UnknownMethod';
    assert.equal((await failure(call('Undo', 'sa{sv}', ['t', CONTEXT]))).name, unknown);
    assert.equal((await failure(call('Preview', 'ssa{sv}', [CAPABILITY, '{}', CONTEXT]))).name, unknown);
  });

  it('[R6] stands at tier 2, with the reason, where the manifest is not accepted', async () => {
    const reason = { code: 'SignatureWrong', pointer: '/signature', message: 'sign it again' };
    broker.answers.Register = () => [2, JSON.stringify({ app_id: 'org.example.App', reason })];
    const { served } = await serve();
    assert.deepEqual(served.standing, { tier: 2, appId: 'org.example.App', reason });
    broker.answers.Register = () => [2, JSON.stringify({ reason })];
    assert.deepEqual((await serve()).served.standing, { tier: 2, appId: undefined, reason });
  });

  it('rejects where the broker refuses the call itself', async () => {
    broker.answers.Register = () => {
      throw new DBusError(
        'invalid',
        'org.freedesktop.DBus.Error.AccessDenied',
        'this process has dispatched',
      );
    };
    const error = await serve().catch((reason: unknown) => reason);
    assert.instanceOf(error, BrokerError);
    assert.equal(Object(error).code, 'AccessDenied');
  });

  for (const [what, answer] of [
    ['a tier that does not exist', [3, '{}']],
    ['details that are not JSON', [1, '{']],
    ['details that lack the app id', [1, '{"capabilities":[],"binding":"x","warnings":[]}']],
    ['details that lack a list', [1, '{"app_id":"a","binding":"x","warnings":[]}']],
    ['no reason for tier 2', [2, '{}']],
    ['details that are no object', [1, '[]']],
  ] as const) {
    it(`rejects where the broker answers with ${what}`, async () => {
      broker.answers.Register = () => answer;
      const error = await serve().catch((reason: unknown) => reason);
      assert.equal(Object(error).code, 'Protocol');
    });
  }

  it('waits for a broker where none is running, and registers with each new one', async () => {
    await broker.stop();
    const standings = new Inbox<Standing>();
    const { served } = await serve({}, { onStanding: standings.put });
    const first = await standings.next();
    assert.isUndefined(first.tier);
    await served.emitEvent('happened', {});
    await served.progress('i1', 1, '');
    for (let round = 0; round < 2; round += 1) {
      broker = await FakeBroker.start(bus);
      broker.acceptApps();
      assert.equal((await standings.next()).tier, 1);
      assert.lengthOf(broker.called('Register'), 1);
      assert.lengthOf(broker.called('EmitEvent'), 0);
      await broker.stop();
      assert.isUndefined((await standings.next()).tier);
    }
    broker = await FakeBroker.start(bus);
    broker.answers.Register = () => {
      throw new DBusError('invalid', 'org.freedesktop.DBus.Error.LimitsExceeded', 'too many');
    };
    const refused = await standings.next();
    assert.equal(refused.tier === undefined && Object(refused.cause).code, 'LimitsExceeded');
    assert.equal(served.standing, refused);
  });

  it('is not confused by a broker that leaves while the app registers', async () => {
    const arrived = new Inbox<true>();
    broker.answers.Register = async () => {
      arrived.put(true);
      return await new Promise<never>(() => undefined);
    };
    const standings = new Inbox<Standing>();
    const serving = serve({}, { onStanding: standings.put });
    await arrived.next();
    await broker.stop();
    await serving;
    assert.isUndefined((await standings.next()).tier);
    broker = await FakeBroker.start(bus);
    broker.acceptApps();
    assert.equal((await standings.next()).tier, 1);
  });

  it('tells nothing of a broker that came and went without an answer', async () => {
    const standings = new Inbox<Standing>();
    await serve({}, { onStanding: standings.put });
    assert.equal((await standings.next()).tier, 1);
    await broker.stop();
    assert.isUndefined((await standings.next()).tier);
    broker = await FakeBroker.start(bus);
    const arrived = new Inbox<true>();
    broker.answers.Register = async () => {
      arrived.put(true);
      return await new Promise<never>(() => undefined);
    };
    await arrived.next();
    await broker.stop();
    const gone = await standings.next();
    assert.equal(gone.tier === undefined && Object(gone.cause).code, 'NoBroker');
    broker = await FakeBroker.start(bus);
    broker.acceptApps();
    assert.equal((await standings.next()).tier, 1, 'and nothing in between');
  });

  it('sends events and progress as JSON and numbers', async () => {
    broker.answers.EmitEvent = () => [];
    broker.answers.Progress = () => [];
    const { served } = await serve();
    await served.emitEvent('note-changed', { name: 'a' });
    await served.emitEvent('ping', undefined);
    await served.progress('i1', 500, 'half');
    assert.deepEqual(
      broker.called('EmitEvent').map(({ args }) => args),
      [
        ['note-changed', '{"name":"a"}'],
        ['ping', 'null'],
      ],
    );
    assert.deepEqual(broker.called('Progress')[0]?.args, ['i1', 500, 'half']);
  });

  it('rejects an event that the broker refuses', async () => {
    broker.answers.EmitEvent = () => {
      throw new DBusError('invalid', 'org.portal.Broker1.Error.NotFound', 'no such event is declared');
    };
    const { served } = await serve();
    const error = await served.emitEvent('x', 1).catch((reason: unknown) => reason);
    assert.equal(Object(error).code, 'NotFound');
  });

  it('withdraws its capabilities when it closes', async () => {
    const { served } = await serve();
    await served.close();
    assert.lengthOf(broker.called('Unregister'), 1);
    assert.isUndefined(await served.closed);
  });

  for (const [what, manifest] of [
    ['a file that is not there', '/nonexistent/manifest.json'],
    ['bytes that are not UTF-8', Buffer.from('{"capabilities":[],"name":"\xff"}', 'latin1')],
    ['text that is not JSON', Buffer.from('{')],
    ['JSON without capabilities', Buffer.from('{"app_id":"a"}')],
    ['JSON that is no object', Buffer.from('[]')],
  ] as const) {
    it(`refuses to start with ${what} for a manifest`, async () => {
      const error = await serve({ manifest }).catch((reason: unknown) => reason);
      assert.instanceOf(error, HandlerError);
      assert.equal(Object(error).code, 'ManifestUnreadable');
      assert.lengthOf(broker.called('Register'), 0);
    });
  }

  it('rejects with a typed error where there is no bus', async () => {
    const error = await serve({}, { address: 'unix:path=/nonexistent' }).catch((reason: unknown) => reason);
    assert.equal(Object(error).code, 'Disconnected');
  });

  it('says so when the bus goes away', async () => {
    const own = await startPrivateBus();
    const served = await serveCapabilities(
      { manifest: Buffer.from(MANIFEST), invoke: async () => ({ success: true }) },
      { address: own.address },
    );
    assert.isUndefined(served.standing.tier);
    await own.stop();
    assert.instanceOf(await served.closed, Error);
  });
});
