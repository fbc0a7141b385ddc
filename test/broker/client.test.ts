// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { BROKER, REQUEST, ROOT_PATH } from '../../broker/bus/names.ts';
import {
  type AppEvent,
  type BrokerClient,
  BrokerError,
  connectBroker,
  type Outcome,
} from '../../broker/client.ts';
import type { IncomingCall } from '../../dbus/connection.ts';
import { startPrivateBus } from '../../dbus/daemon.ts';
import { DBusError } from '../../dbus/error.ts';
import { asDictionary } from '../../dbus/values.ts';
import { useBus } from '../support/bus.ts';
import { FakeBroker, requestPath } from './fake-broker.ts';
import { Inbox } from './inbox.ts';

const DONE: Outcome = {
  invocation: 'i1',
  status: 'executed',
  stage: 'outcome',
  result: { n: 1 },
  trust: 'low',
  audit_id: '9',
};
const DENIED: Outcome = {
  invocation: 'i1',
  status: 'denied',
  stage: 'confirm',
  code: 'PersonDenied',
  note: 'not now',
  error: { code: 'PersonDenied', message: 'no', recoverable: false },
};

/** The code of the BrokerError that a promise rejects with; anything else fails the test. */
async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof BrokerError) return error.code;
  throw new Error('expected a BrokerError', { cause: error });
}

describe('connectBroker', () => {
  const bus = useBus();
  let broker: FakeBroker;
  let client: BrokerClient;

  beforeEach(async () => {
    broker = await FakeBroker.start(bus);
    client = await connectBroker({ address: bus.address });
  });

  afterEach(async () => {
    await client.close();
    await broker.stop();
  });

  /** Answers Dispatch with `pending`; each request then waits in the inbox for its end. */
  function pending(): Inbox<{ path: string; sender: string }> {
    const requests = new Inbox<{ path: string; sender: string }>();
    broker.answers.Dispatch = ([, , options], { sender }: IncomingCall) => {
      const path = requestPath(sender, asDictionary(options));
      requests.put({ path, sender });
      return [path, 'pending', ''];
    };
    return requests;
  }

  function complete({ path, sender }: { path: string; sender: string }, outcome: Outcome): void {
    broker.tell(sender, path, 'Completed', 'ss', [outcome.status, JSON.stringify(outcome)]);
  }

  /** Resolves when everything the broker sent before has reached the client. */
  async function settled(): Promise<void> {
    await client.properties();
  }

  it('[R73] dispatches and resolves with the outcome of the reply', async () => {
    broker.answers.Dispatch = () => ['/x', 'executed', JSON.stringify(DONE)];
    assert.deepEqual(await client.dispatch('notes.org.example.notes.read', { name: 'a' }), DONE);
    const [capability, params] = broker.called('Dispatch')[0]?.args ?? [];
    assert.equal(capability, 'notes.org.example.notes.read');
    assert.equal(params, '{"name":"a"}');
  });

  it('sends each option under its name and type, and leaves out the rest', async () => {
    broker.answers.Dispatch = () => ['/x', 'executed', JSON.stringify(DONE)];
    await client.dispatch(
      'c',
      {},
      {
        version: '1.0',
        category: 'TEXT_QUERY',
        context: 'live',
        target: '/t',
        session: 's',
        turn: 't',
        intention: 'i',
        reason: 'r',
        evidence: ['e'],
        origin: 'o',
        requireApproval: true,
        timeoutMs: 500,
      },
    );
    await client.dispatch('c', {});
    const [all, none] = broker.called('Dispatch').map(({ args }) => asDictionary(args[2]));
    assert.match(String(all?.get('handle_token')), /^[0-9a-f]{32}$/);
    assert.notEqual(all?.get('handle_token'), none?.get('handle_token'));
    all?.delete('handle_token');
    assert.deepEqual(Object.fromEntries(all ?? []), {
      version: '1.0',
      category: 'TEXT_QUERY',
      context: 'live',
      target: '/t',
      session: 's',
      turn: 't',
      intention: 'i',
      reason: 'r',
      evidence: ['e'],
      origin: 'o',
      require_approval: true,
      timeout_ms: 500,
    });
    assert.deepEqual([...(none?.keys() ?? [])], ['handle_token']);
  });

  it('[R74] [R123] waits for Completed where the reply is pending', async () => {
    const requests = pending();
    const dispatched = client.dispatch('c', {});
    complete(await requests.next(), DENIED);
    assert.deepEqual(await dispatched, DENIED);
  });

  it('[R123] misses no Completed that overtakes the reply', async () => {
    broker.answers.Dispatch = async ([, , options], { sender }) => {
      const path = requestPath(sender, asDictionary(options));
      complete({ path, sender }, DONE);
      return await new Promise<never>(() => undefined);
    };
    assert.deepEqual(await client.dispatch('c', {}), DONE);
  });

  it('keeps the outcomes of many requests apart', async () => {
    const requests = pending();
    const dispatched = Promise.all([client.dispatch('a', {}), client.dispatch('b', {})]);
    const [first, second] = [await requests.next(), await requests.next()];
    complete(second, { ...DONE, invocation: 'second' });
    complete(first, { ...DONE, invocation: 'first' });
    assert.deepEqual(
      (await dispatched).map(({ invocation }) => invocation),
      ['first', 'second'],
    );
  });

  it('believes Completed from nobody but the broker', async () => {
    const requests = pending();
    const dispatched = client.dispatch('c', {});
    const request = await requests.next();
    const forger = await bus.connect();
    forger.emit({
      destination: request.sender,
      path: request.path,
      interface: REQUEST,
      member: 'Completed',
      signature: 'ss',
      body: ['executed', JSON.stringify({ ...DONE, invocation: 'forged' })],
    });
    await forger.call({
      destination: request.sender,
      path: '/',
      interface: 'org.freedesktop.DBus.Peer',
      member: 'Ping',
    });
    complete(request, DENIED);
    assert.deepEqual(await dispatched, DENIED);
  });

  it('passes on progress, and nothing that has another form', async () => {
    const requests = pending();
    const progress: [number, string][] = [];
    const dispatched = client.dispatch(
      'c',
      {},
      { onProgress: (permille, text) => progress.push([permille, text]) },
    );
    const request = await requests.next();
    const { sender, path } = request;
    broker.tell(sender, path, 'Progress', 'us', [250, 'a quarter']);
    broker.tell(sender, path, 'Progress', 's', ['what']);
    broker.tell(sender, `${path}0`, 'Progress', 'us', [999, 'of another']);
    complete(request, DONE);
    await dispatched;
    broker.tell(sender, path, 'Progress', 'us', [1000, 'too late']);
    await settled();
    assert.deepEqual(progress, [[250, 'a quarter']]);
  });

  describe('cancelling', () => {
    function cancellable(): Inbox<string> {
      const cancelled = new Inbox<string>();
      broker.answers.Dispatch = ([, , options], { sender }) => {
        const path = requestPath(sender, asDictionary(options));
        const outcome = { ...DENIED, code: 'Withdrawn' as const };
        broker.tree.add(path, [
          {
            name: REQUEST,
            methods: {
              Cancel: {
                in: '',
                out: '',
                handle: () => {
                  cancelled.put(path);
                  complete({ path, sender }, outcome);
                  return [];
                },
              },
            },
          },
        ]);
        return [path, 'pending', ''];
      };
      return cancelled;
    }

    it('[R90] cancels through its signal and resolves with what became of it', async () => {
      const cancelled = cancellable();
      const stop = new AbortController();
      const dispatched = client.dispatch('c', {}, { signal: stop.signal });
      await settled();
      stop.abort();
      assert.include(await cancelled.next(), '/request/');
      assert.equal((await dispatched).code, 'Withdrawn');
    });

    it('[R90] cancels also where the signal came before the reply', async () => {
      const cancelled = cancellable();
      const stop = new AbortController();
      const dispatched = client.dispatch('c', {}, { signal: stop.signal });
      stop.abort();
      await cancelled.next();
      assert.equal((await dispatched).status, 'denied');
    });

    it('sends nothing where the signal was aborted before', async () => {
      assert.equal(await codeOf(client.dispatch('c', {}, { signal: AbortSignal.abort() })), 'Aborted');
      await settled();
      assert.isEmpty(broker.called('Dispatch'));
    });

    it('cancels nothing once there is an outcome', async () => {
      const cancelled = cancellable();
      const stop = new AbortController();
      const dispatched = client.dispatch('c', {}, { signal: stop.signal });
      await settled();
      const { sender, args } = broker.called('Dispatch')[0] ?? { sender: '', args: [] };
      complete({ path: requestPath(sender, asDictionary(args[2])), sender }, DONE);
      await dispatched;
      stop.abort();
      await settled();
      assert.isEmpty(cancelled.rest);
    });
  });

  it('[R137] rejects where the broker leaves before the outcome, since nobody knows it', async () => {
    const requests = pending();
    const dispatched = codeOf(client.dispatch('c', {}));
    await requests.next();
    await settled();
    await broker.stop();
    assert.equal(await dispatched, 'Disconnected');
  });

  it('[R137] rejects where the broker leaves before it replied', async () => {
    const arrived = new Inbox<true>();
    broker.answers.Dispatch = async () => {
      arrived.put(true);
      return await new Promise<never>(() => undefined);
    };
    const dispatched = codeOf(client.dispatch('c', {}));
    await arrived.next();
    await broker.stop();
    assert.equal(await dispatched, 'Disconnected');
  });

  it('works with the next broker', async () => {
    broker.answers.Outcome = () => ['pending', ''];
    await client.outcome('i1');
    const destination = broker.called('Outcome')[0]?.sender ?? '';
    await broker.stop();
    const other = await bus.connect();
    // The bus told the client first, so once it answers this it knows.
    await other.call({ destination, path: '/', interface: 'org.freedesktop.DBus.Peer', member: 'Ping' });
    assert.equal(await codeOf(client.list()), 'NoBroker');
    broker = await FakeBroker.start(bus);
    broker.answers.Dispatch = () => ['/x', 'executed', JSON.stringify(DONE)];
    assert.equal((await client.dispatch('c', {})).status, 'executed');
  });

  for (const [name, code] of [
    ['org.freedesktop.DBus.Error.InvalidArgs', 'InvalidArgs'],
    ['org.freedesktop.DBus.Error.AccessDenied', 'AccessDenied'],
    ['org.freedesktop.DBus.Error.LimitsExceeded', 'LimitsExceeded'],
    ['org.portal.Broker1.Error.NotFound', 'NotFound'],
    ['org.portal.Broker1.Error.Failed', 'Failed'],
    ['org.portal.Broker1.Error.SomethingNew', 'Failed'],
    ['com.example.Other', 'Failed'],
  ] as const) {
    it(`names the error ${name} ${code}`, async () => {
      broker.answers.Dispatch = () => {
        throw new DBusError('invalid', name, 'what to do');
      };
      const error = await client.dispatch('c', {}).catch((reason: unknown) => reason);
      assert.instanceOf(error, BrokerError);
      assert.equal(Object(error).code, code);
      assert.equal(Object(error).message, 'what to do');
    });
  }

  for (const text of [
    '',
    '{',
    '[]',
    '{}',
    '{"invocation":"i","status":"pending","stage":"x"}',
    '{"invocation":"i","status":"executed"}',
  ]) {
    it(`takes \`${text}\` for no outcome`, async () => {
      broker.answers.Dispatch = () => ['/x', 'executed', text];
      assert.equal(await codeOf(client.dispatch('c', {})), 'Protocol');
    });
  }

  it('takes a Completed without an outcome for none', async () => {
    const requests = pending();
    const dispatched = codeOf(client.dispatch('c', {}));
    const { path, sender } = await requests.next();
    broker.tell(sender, path, 'Completed', 'ss', ['executed', 'nonsense']);
    assert.equal(await dispatched, 'Protocol');
  });

  it('undoes', async () => {
    broker.answers[`${BROKER}.Undo`] = () => ['/x', 'executed', JSON.stringify(DONE)];
    assert.deepEqual(await client.undo('i0', { reason: 'a slip' }), DONE);
    const [invocation, options] = broker.called('Undo')[0]?.args ?? [];
    assert.equal(invocation, 'i0');
    assert.equal(asDictionary(options).get('reason'), 'a slip');
  });

  it('finds out what became of an earlier invocation', async () => {
    broker.answers.Outcome = () => ['executed', JSON.stringify(DONE)];
    assert.deepEqual(await client.outcome('i1'), DONE);
    broker.answers.Outcome = () => ['pending', ''];
    assert.isUndefined(await client.outcome('i1'));
  });

  it('[R130] explains without dispatching', async () => {
    const explanation = { effect: 'ask', stage: 'confirm', gate: 'confirm', risk: 'high' } as const;
    broker.answers.Explain = () => [JSON.stringify(explanation)];
    assert.deepEqual(await client.explain('c', { n: 1 }, { version: '1.0' }), explanation);
    assert.deepEqual([...asDictionary(broker.called('Explain')[0]?.args[2]).keys()], ['version']);
    assert.isEmpty(broker.called('Dispatch'));
    broker.answers.Explain = () => ['{"effect":"maybe","stage":"x"}'];
    assert.equal(await codeOf(client.explain('c', {})), 'Protocol');
  });

  it('lists with a filter', async () => {
    const listing = { total: 1, capabilities: [{ id: 'a.b.c' }], apps: [{ app_id: 'b.B', tier: 1 }] };
    broker.answers.List = () => [3n, JSON.stringify(listing)];
    const found = await client.list({
      category: 'TEXT_QUERY',
      appId: 'b.B',
      tier: 1,
      sideEffects: 'read',
      text: 'words',
      detail: 'full',
      locale: 'de',
      offset: 1,
      limit: 2,
    });
    assert.deepEqual(found, { epoch: 3, ...listing } as unknown);
    assert.deepEqual(Object.fromEntries(asDictionary(broker.called('List')[0]?.args[0])), {
      category: 'TEXT_QUERY',
      app_id: 'b.B',
      tier: 1,
      side_effects: 'read',
      text: 'words',
      detail: 'full',
      locale: 'de',
      offset: 1,
      limit: 2,
    });
  });

  for (const text of [
    '{}',
    '{"total":1,"capabilities":{},"apps":[]}',
    '{"total":1,"capabilities":[1],"apps":[]}',
    '{"total":1,"capabilities":[],"apps":[{"app_id":"a","tier":3}]}',
  ]) {
    it(`takes \`${text}\` for no list`, async () => {
      broker.answers.List = () => [3n, text];
      assert.equal(await codeOf(client.list()), 'Protocol');
    });
  }

  it('[R157] tells what the broker says of itself', async () => {
    const expected = { version: '9.9.9', epoch: 7, profile: 'standard', assurance: 'advisory' };
    assert.deepEqual(await client.properties(), expected);
  });

  describe('events', () => {
    function emit(from: FakeBroker['connection'], to: string, body: unknown[], signature = 'ssss'): void {
      from.emit({ destination: to, path: ROOT_PATH, interface: BROKER, member: 'Event', signature, body });
    }

    beforeEach(() => {
      broker.answers.Subscribe = () => [];
      broker.answers.Unsubscribe = () => [];
    });

    it('delivers those of the app that was subscribed to, from the broker alone', async () => {
      const events = new Inbox<AppEvent>();
      const stop = await client.subscribe('org.example.Notes', events.put);
      const { args, sender } = broker.called('Subscribe')[0] ?? { args: [], sender: '' };
      assert.deepEqual(args, ['org.example.Notes']);
      const forger = await bus.connect();
      emit(forger, sender, ['org.example.Notes', 'note-changed', '"forged"', 'high']);
      await forger.call({
        destination: sender,
        path: '/',
        interface: 'org.freedesktop.DBus.Peer',
        member: 'Ping',
      });
      emit(broker.connection, sender, ['org.example.Other', 'x', '1', 'low']);
      emit(broker.connection, sender, ['org.example.Notes', 'note-changed', '{"name":"a"}', 'low']);
      const expected = {
        appId: 'org.example.Notes',
        type: 'note-changed',
        payload: { name: 'a' },
        trust: 'low',
      };
      assert.deepEqual(await events.next(), expected);
      assert.isEmpty(events.rest);
      await stop();
      assert.lengthOf(broker.called('Unsubscribe'), 1);
      emit(broker.connection, sender, ['org.example.Notes', 'note-changed', '1', 'low']);
      await settled();
      assert.isEmpty(events.rest);
    });

    it('unsubscribes only when the last listener of an app is gone', async () => {
      const first = await client.subscribe('a.B', () => undefined);
      const second = await client.subscribe('a.B', () => undefined);
      await first();
      await first();
      assert.isEmpty(broker.called('Unsubscribe'));
      await second();
      assert.lengthOf(broker.called('Unsubscribe'), 1);
    });

    it('subscribes again with the next broker', async () => {
      await client.subscribe('a.B', () => undefined);
      await broker.stop();
      broker = await FakeBroker.start(bus);
      const subscribed = new Inbox<readonly unknown[]>();
      broker.answers.Subscribe = (args) => {
        subscribed.put(args);
        return [];
      };
      assert.deepEqual(await subscribed.next(), ['a.B']);
    });

    it('keeps no listener where the broker refuses', async () => {
      broker.answers.Subscribe = () => {
        throw new DBusError('invalid', 'org.portal.Broker1.Error.NotFound', 'no such app');
      };
      const events = new Inbox<AppEvent>();
      assert.equal(await codeOf(client.subscribe('a.B', events.put)), 'NotFound');
      emit(broker.connection, broker.called('Subscribe')[0]?.sender ?? '', ['a.B', 'x', '1', 'low']);
      await settled();
      assert.isEmpty(events.rest);
    });

    it('reports what a listener throws and goes on', async () => {
      const faults = new Inbox<unknown>();
      const other = await connectBroker({ address: bus.address, onFault: faults.put });
      try {
        const events = new Inbox<AppEvent>();
        const bug = new Error('bug');
        await other.subscribe('a.B', () => {
          throw bug;
        });
        await other.subscribe('a.B', events.put);
        const { sender } = broker.called('Subscribe')[0] ?? { sender: '' };
        emit(broker.connection, sender, ['a.B', 'x', '1', 'low']);
        await events.next();
        assert.equal(await faults.next(), bug);
      } finally {
        await other.close();
      }
    });

    it('tells of capabilities that come and go', async () => {
      const changes = new Inbox<unknown>();
      broker.answers.List = () => [3n, '{"total":0,"capabilities":[],"apps":[]}'];
      await client.list();
      const stop = await client.onChanged(changes.put);
      const { sender } = broker.called('List')[0] ?? { sender: '' };
      const changed = {
        destination: sender,
        path: ROOT_PATH,
        interface: BROKER,
        member: 'Changed',
        signature: 'tasas',
      };
      const forger = await bus.connect();
      forger.emit({ ...changed, body: [9n, ['forged'], []] });
      await forger.call({
        destination: sender,
        path: '/',
        interface: 'org.freedesktop.DBus.Peer',
        member: 'Ping',
      });
      broker.connection.emit({ ...changed, body: [4n, ['a.b.c'], ['d.e.f']] });
      assert.deepEqual(await changes.next(), { epoch: 4, added: ['a.b.c'], removed: ['d.e.f'] });
      assert.isEmpty(changes.rest);
      await stop();
    });
  });

  it('[R113] [R114] reads what the caller may do, and hears when that changed', async () => {
    const model = {
      principal: 'p',
      may: ['a'],
      asks: [],
      confirms: ['b'],
      forbidden: [],
      grants: [],
      requests: [{ id: 'q', capability: 'b', state: 'open' }],
      actions: [{ invocation: 'i', capability: 'a', status: 'executed' }],
    };
    broker.answers.SelfModel = () => [4n, JSON.stringify(model)];
    assert.deepEqual(await client.selfModel(), { epoch: 4, ...model });
    const heard = new Inbox<number>();
    await client.onSelfModelChanged(heard.put);
    const signal = { path: ROOT_PATH, interface: BROKER, member: 'SelfModelChanged' };
    broker.connection.emit({ ...signal, signature: 't', body: [5n] });
    assert.equal(await heard.next(), 5);
    broker.answers.SelfModel = () => [4n, '{"principal":"p"}'];
    assert.equal(await codeOf(client.selfModel()), 'Protocol');
  });

  it('[R104] asks for a grant, and withdraws that', async () => {
    broker.answers.RequestCapability = () => ['q'];
    broker.answers.WithdrawRequest = () => [];
    const request = { capability: 'c', access: 'read', minutes: 5, operations: 1, reason: 'r' } as const;
    assert.equal(await client.requestCapability(request), 'q');
    assert.deepEqual(JSON.parse(String(broker.called('RequestCapability')[0]?.args[0])), request);
    await client.withdrawRequest('q');
    assert.deepEqual(broker.called('WithdrawRequest')[0]?.args, ['q']);
    broker.answers.RequestCapability = () => {
      throw new DBusError('remote', 'org.portal.Broker1.Error.RequestInvalid', 'at `/minutes`');
    };
    assert.equal(await codeOf(client.requestCapability(request)), 'RequestInvalid');
  });

  it('rejects with a typed error where there is no bus', async () => {
    assert.equal(await codeOf(connectBroker({ address: 'unix:path=/nonexistent' })), 'Disconnected');
  });

  it('rejects what waits, and says so, when the bus goes away', async () => {
    const own = await startPrivateBus();
    const alone = await connectBroker({ address: own.address });
    assert.equal(await codeOf(alone.list()), 'NoBroker');
    await own.stop();
    assert.instanceOf(await alone.closed, Error);
    assert.equal(await codeOf(alone.list()), 'Disconnected');
  });
});
