// SPDX-License-Identifier: Apache-2.0
import { getEventListeners, once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert } from 'chai';
import { type Connection, connect, type IncomingCall } from '../../dbus/connection.ts';
import { BUS_NAME, BUS_PATH } from '../../dbus/messages.ts';
import { variant } from '../../dbus/values.ts';
import { startBus, useBus } from '../support/bus.ts';
import { failureOf, thrownBy } from './failure.ts';

const MEMBER = { path: '/a', interface: 'a.b', member: 'C' };

function echo(connection: Connection): void {
  connection.onCall((call) => connection.reply(call, call.signature, call.body));
}

/** Everything the other sent before this resolved has arrived. */
async function settled(connection: Connection): Promise<void> {
  await connection.call({ destination: BUS_NAME, path: BUS_PATH, interface: BUS_NAME, member: 'GetId' });
}

describe('dbus/connection', () => {
  const bus = useBus();
  let server: Connection;
  let client: Connection;

  beforeEach(async () => {
    server = await bus.connect();
    client = await bus.connect();
  });

  describe('call', () => {
    const values: readonly [signature: string, body: readonly unknown[]][] = [
      ['', []],
      ['ybnqiud', [255, true, -32768, 65535, -2147483648, 4294967295, 0.5]],
      ['xt', [-9223372036854775808n, 18446744073709551615n]],
      ['sog', ['text \u{1f512}', '/a/b', 'a{sv}']],
      ['ayas', [Buffer.from([0, 1, 255]), ['a', '']]],
      ['(s(ii))', [['x', [1, 2]]]],
      ['aav', [[[variant('u', 1), variant('v', variant('s', 'x'))], []]]],
    ];
    for (const [signature, body] of values) {
      it(`carries \`${signature}\` both ways without loss`, async () => {
        echo(server);
        assert.deepEqual(await client.call({ ...MEMBER, destination: server.name, signature, body }), body);
      });
    }

    it('keeps the order and the duplicates of a dictionary', async () => {
      echo(server);
      const entries = [
        ['b', variant('u', 1)],
        ['a', variant('s', 'x')],
        ['b', variant('u', 2)],
      ];
      const answer = await client.call({
        ...MEMBER,
        destination: server.name,
        signature: 'a{sv}',
        body: [entries],
      });
      assert.deepEqual(JSON.stringify(answer), JSON.stringify([entries]));
    });

    it('gives each of many calls its own answer', async () => {
      const held: IncomingCall[] = [];
      server.onCall((call) => {
        held.push(call);
        if (held.length === 50) for (const one of held.reverse()) server.reply(one, 'u', one.body);
      });
      const calls = Array.from({ length: 50 }, (_, n) =>
        client.call({ ...MEMBER, destination: server.name, signature: 'u', body: [n] }),
      );
      assert.deepEqual(
        (await Promise.all(calls)).flat(),
        Array.from({ length: 50 }, (_, n) => n),
      );
    });

    it('rejects with the name and text of an error reply', async () => {
      server.onCall((call) => server.replyError(call, 'a.b.Error.Odd', 'text\0more'));
      const error = await failureOf(client.call({ ...MEMBER, destination: server.name }));
      assert.deepEqual(
        [error.code, error.name, error.message],
        ['remote', 'a.b.Error.Odd', 'text\u{fffd}more'],
      );
    });

    it('rejects when the answer does not come in time', async () => {
      const error = await failureOf(client.call({ ...MEMBER, destination: server.name, timeoutMs: 20 }));
      assert.deepEqual([error.code, error.name], ['timeout', 'org.freedesktop.DBus.Error.NoReply']);
    });

    it('does not mistake a very long wait for a very short one', async () => {
      server.onCall((call) => setTimeout(() => server.reply(call, '', []), 20));
      await client.call({ ...MEMBER, destination: server.name, timeoutMs: 2 ** 40 });
      await client.call({ ...MEMBER, destination: server.name, timeoutMs: Number.POSITIVE_INFINITY });
    });

    it('rejects when it is aborted, before or while waiting', async () => {
      const stop = new AbortController();
      const waiting = failureOf(client.call({ ...MEMBER, destination: server.name, signal: stop.signal }));
      stop.abort(new Error('enough'));
      assert.equal((await waiting).code, 'aborted');
      assert.equal(
        (await failureOf(client.call({ ...MEMBER, destination: server.name, signal: stop.signal }))).code,
        'aborted',
      );
    });

    it('rejects when one of several signals aborts, and listens to none afterwards', async () => {
      const [first, second] = [new AbortController(), new AbortController()];
      const signal = [first.signal, second.signal];
      const waiting = failureOf(client.call({ ...MEMBER, destination: server.name, signal }));
      second.abort(new Error('enough'));
      const { code, cause } = await waiting;
      assert.deepEqual([code, cause], ['aborted', second.signal.reason]);
      assert.equal(
        (await failureOf(client.call({ ...MEMBER, destination: server.name, signal }))).code,
        'aborted',
      );
      server.onCall((call) => server.reply(call, '', []));
      await client.call({ ...MEMBER, destination: server.name, signal: [first.signal] });
      assert.lengthOf(getEventListeners(first.signal, 'abort'), 0);
    });

    it('rejects at once when nobody has the name', async () => {
      const error = await failureOf(client.call({ ...MEMBER, destination: ':1.99999' }));
      assert.deepEqual([error.code, error.name], ['remote', 'org.freedesktop.DBus.Error.ServiceUnknown']);
    });

    it('rejects at once when the called peer leaves', async () => {
      server.onCall(() => void server.close());
      const error = await failureOf(client.call({ ...MEMBER, destination: server.name }));
      assert.deepEqual([error.code, error.name], ['remote', 'org.freedesktop.DBus.Error.NoReply']);
    });

    const unsendable: readonly [what: string, change: object, code: string][] = [
      ['a destination that is no bus name', { destination: 'nonsense' }, 'invalid'],
      ['a path that is none', { path: 'a//b' }, 'invalid'],
      ['an interface that is none', { interface: 'nodots' }, 'invalid'],
      ['a member that is none', { member: 'a.b' }, 'invalid'],
      ['a string with a zero byte', { signature: 's', body: ['a\0b'] }, 'invalid'],
      ['a body without a signature', { signature: '', body: ['x'] }, 'invalid'],
      ['a signature without a body', { signature: 's', body: [] }, 'invalid'],
      ['a signature that is none', { signature: 'a{', body: [[]] }, 'invalid'],
      ['a number out of range', { signature: 'y', body: [256] }, 'invalid'],
      ['a string over the limit', { signature: 's', body: ['x'.repeat(70_000)] }, 'limit'],
      [
        'what is over the limit on the wire alone',
        { signature: 'ax', body: [Array(10_000).fill(1)] },
        'limit',
      ],
    ];
    for (const [what, change, code] of unsendable) {
      it(`refuses ${what} and stays connected`, async () => {
        const limited = await bus.connect({ limits: { maxMessageBytes: 65_536 } });
        const arrived: IncomingCall[] = [];
        server.onCall((call) => {
          arrived.push(call);
          server.reply(call, '', []);
        });
        const error = await failureOf(limited.call({ ...MEMBER, destination: server.name, ...change }));
        assert.equal(error.code, code);
        await limited.call({ ...MEMBER, destination: server.name });
        assert.lengthOf(arrived, 1, 'only the good one was sent');
      });
    }
  });

  describe('incoming calls', () => {
    it('are held until there is a handler, in order', async () => {
      const calls = [1, 2, 3].map((n) =>
        client.call({ ...MEMBER, destination: server.name, signature: 'u', body: [n] }),
      );
      await settled(client);
      await settled(server);
      const seen: unknown[] = [];
      server.onCall((call) => {
        seen.push(call.body[0]);
        server.reply(call, '', []);
      });
      await Promise.all(calls);
      assert.deepEqual(seen, [1, 2, 3]);
    });

    it('are refused when too many wait for a handler', async () => {
      const calls = Array.from({ length: 257 }, () => client.call({ ...MEMBER, destination: server.name }));
      const error = await failureOf(calls[256] ?? Promise.resolve());
      assert.equal(error.name, 'org.freedesktop.DBus.Error.LimitsExceeded');
      server.onCall((call) => server.reply(call, '', []));
      await Promise.all(calls.slice(0, 256));
    });

    it('have one handler', () => {
      echo(server);
      assert.equal(thrownBy(() => echo(server)).code, 'invalid');
    });

    it('are answered and reported when the handler throws', async () => {
      const faults: unknown[] = [];
      const fragile = await bus.connect({ onFault: (error) => faults.push(error) });
      const bug = new Error('secret detail');
      fragile.onCall(() => {
        throw bug;
      });
      const error = await failureOf(client.call({ ...MEMBER, destination: fragile.name }));
      assert.deepEqual([error.name, error.message], ['org.freedesktop.DBus.Error.Failed', 'the call failed']);
      assert.deepEqual(faults, [bug]);
    });

    it('warn without detail where nobody takes the report', async () => {
      server.onCall(() => {
        throw new Error('secret detail');
      });
      const warned = once(process, 'warning');
      await failureOf(client.call({ ...MEMBER, destination: server.name }));
      const [warning] = await warned;
      assert.equal(String(warning), 'Warning: a message handler failed with Error');
    });
  });

  describe('reply', () => {
    const misfits: readonly [what: string, signature: string, body: unknown, name: string][] = [
      ['does not fit', 'u', ['text'], 'org.freedesktop.DBus.Error.Failed'],
      ['is no list', 's', undefined, 'org.freedesktop.DBus.Error.Failed'],
      ['is there without a signature', '', ['x'], 'org.freedesktop.DBus.Error.Failed'],
      ['has 200 MiB', 's', ['x'.repeat(200 * 2 ** 20)], 'org.freedesktop.DBus.Error.LimitsExceeded'],
    ];
    for (const [what, signature, body, name] of misfits) {
      it(`is an error when its body ${what}`, async () => {
        const quiet = await bus.connect({ onFault: () => undefined });
        quiet.onCall((call) => quiet.reply(call, signature, body as readonly unknown[]));
        assert.equal((await failureOf(client.call({ ...MEMBER, destination: quiet.name }))).name, name);
        assert.equal((await failureOf(client.call({ ...MEMBER, destination: quiet.name }))).name, name);
      });
    }

    it('has a plain error name where the wanted one cannot travel', async () => {
      server.onCall((call) => server.replyError(call, 'not a name', 'text'));
      const error = await failureOf(client.call({ ...MEMBER, destination: server.name }));
      assert.equal(error.name, 'org.freedesktop.DBus.Error.Failed');
    });
  });

  describe('signals', () => {
    it('reach whoever watches for them, and nobody after stopping', async () => {
      const seen: unknown[] = [];
      const match = { sender: server.name, path: '/a', interface: 'a.b', member: 'S', arg0: "it's" };
      const stop = await client.watch(match, (signal) => seen.push(signal.body));
      const send = (change: object) =>
        server.emit({ path: '/a', interface: 'a.b', member: 'S', signature: 's', body: ["it's"], ...change });
      send({});
      for (const other of [
        { path: '/b' },
        { interface: 'a.c' },
        { member: 'T' },
        { body: ['no'] },
        { signature: 'u', body: [1] },
      ]) {
        send({ ...other, destination: client.name });
      }
      await settled(server);
      await settled(client);
      assert.deepEqual(seen, [["it's"]]);
      await stop();
      await stop();
      send({ destination: client.name });
      await settled(server);
      await settled(client);
      assert.lengthOf(seen, 1);
    });

    it('still reach one listener after another of the same rule stopped, even twice', async () => {
      const seen: string[] = [];
      const stop = await client.watch({ member: 'S' }, () => seen.push('first'));
      await client.watch({ member: 'S' }, () => seen.push('second'));
      await Promise.all([stop(), stop()]);
      server.emit({ path: '/a', interface: 'a.b', member: 'S' });
      await settled(server);
      await settled(client);
      assert.deepEqual(seen, ['second']);
    });

    it('go to one peer alone when they have a destination', async () => {
      const other = await bus.connect();
      const seen: string[] = [];
      await client.watch({ member: 'S' }, () => seen.push('client'));
      await other.watch({ member: 'S' }, () => seen.push('other'));
      server.emit({ path: '/a', interface: 'a.b', member: 'S', destination: client.name });
      await settled(server);
      await Promise.all([settled(client), settled(other)]);
      assert.deepEqual(seen, ['client']);
    });

    it('that cannot be sent are refused to their sender', () => {
      assert.equal(
        thrownBy(() => server.emit({ path: '/a', interface: 'a.b', member: 'S', signature: 's', body: [1] }))
          .code,
        'invalid',
      );
    });

    it('still reach the other listeners when one throws', async () => {
      const faults: unknown[] = [];
      const listener = await bus.connect({ onFault: (error) => faults.push(error) });
      const seen: string[] = [];
      await listener.watch({ member: 'S' }, () => {
        throw new Error('bug');
      });
      await listener.watch({ member: 'S' }, () => seen.push('second'));
      server.emit({ path: '/a', interface: 'a.b', member: 'S' });
      await settled(server);
      await settled(listener);
      assert.deepEqual([faults.length, seen], [1, ['second']]);
    });

    it('of a well-known name come from its owner only, whoever that is', async () => {
      const seen: string[] = [];
      const stop = await client.watch({ sender: 'a.b.Service', member: 'S' }, (signal) =>
        seen.push(signal.sender),
      );
      const next = await bus.connect();
      const send = async (from: Connection) => {
        from.emit({ path: '/a', interface: 'a.b', member: 'S', destination: client.name });
        await settled(from);
      };
      await send(server);
      await server.requestName('a.b.Service');
      await send(server);
      await server.close();
      await next.requestName('a.b.Service');
      await send(next);
      await settled(client);
      assert.deepEqual(seen, [server.name, next.name]);
      await stop();
    });

    it('of a name that somebody has already are seen from the first', async () => {
      await server.requestName('a.b.Early');
      const seen: string[] = [];
      await client.watch({ sender: 'a.b.Early', member: 'S' }, (signal) => seen.push(signal.sender));
      server.emit({ path: '/a', interface: 'a.b', member: 'S' });
      await settled(server);
      await settled(client);
      assert.deepEqual(seen, [server.name]);
    });

    it('cannot be watched for with what the bus refuses, which leaves nothing behind', async () => {
      const error = await failureOf(client.watch({ path: 'not a path' }, () => undefined));
      assert.equal(error.name, 'org.freedesktop.DBus.Error.MatchRuleInvalid');
      assert.equal(
        (await failureOf(client.watch({ sender: 'a.b.C', path: 'not a path' }, () => undefined))).code,
        'remote',
      );
    });
  });

  describe('names', () => {
    it('are taken once', async () => {
      await server.requestName('a.b.Taken');
      assert.equal((await failureOf(client.requestName('a.b.Taken'))).code, 'remote');
      assert.equal((await failureOf(client.requestName('nodots'))).code, 'remote');
      await server.close();
      const ask = { destination: BUS_NAME, path: BUS_PATH, interface: BUS_NAME, member: 'NameHasOwner' };
      const taken = await client.call({ ...ask, signature: 's', body: ['a.b.Taken'] });
      assert.deepEqual(taken, [false], 'the other did not wait in a queue');
    });

    it('are seen to vanish, unique and well-known ones', async () => {
      const seen: string[] = [];
      client.watchName(server.name, () => seen.push('unique'));
      client.watchName('a.b.Vanishing', () => seen.push('well-known'));
      client.watchName('a.b.Vanishing', () => seen.push('stopped'))();
      client.watchName('a.b.Other', () => seen.push('other'));
      await settled(client);
      await server.requestName('a.b.Vanishing');
      await settled(client);
      assert.deepEqual(seen, [], 'a name that appears does not vanish');
      await server.close();
      await settled(client);
      assert.deepEqual(seen.sort(), ['unique', 'well-known']);
    });

    it('still tell the other listeners when one throws', async () => {
      const faults: unknown[] = [];
      const watcher = await bus.connect({ onFault: (error) => faults.push(error) });
      const seen: string[] = [];
      watcher.watchName(server.name, () => {
        throw new Error('bug');
      });
      watcher.watchName(server.name, () => seen.push('second'));
      await settled(watcher);
      await server.close();
      await settled(watcher);
      assert.deepEqual([faults.length, seen], [1, ['second']]);
    });
  });

  describe('the end', () => {
    it('by close() sends what was written, rejects what waits, and has no reason', async () => {
      const arrived = new Promise<void>((resolve) => void server.watch({ member: 'Last' }, () => resolve()));
      await settled(server);
      const waiting = failureOf(client.call({ ...MEMBER, destination: server.name }));
      client.emit({ path: '/a', interface: 'a.b', member: 'Last' });
      await client.close();
      await arrived;
      assert.equal((await waiting).code, 'disconnected');
      assert.isUndefined(await client.closed);
      assert.equal(
        (await failureOf(client.call({ ...MEMBER, destination: server.name }))).code,
        'disconnected',
      );
      client.emit({ path: '/a', interface: 'a.b', member: 'S' });
      await client.close();
    });

    it('of the bus gives a reason and rejects every pending call', async () => {
      const other = await startBus();
      const connection = await connect({ address: other.address });
      const peer = await connect({ address: other.address });
      const calls = [1, 2, 3].map(() => failureOf(connection.call({ ...MEMBER, destination: peer.name })));
      const stop = await connection.watch({ member: 'S' }, () => undefined);
      await other.stop();
      assert.instanceOf(await connection.closed, Error);
      for (const error of await Promise.all(calls)) assert.equal(error.code, 'disconnected');
      assert.equal(
        (await failureOf(connection.call({ ...MEMBER, destination: peer.name }))).code,
        'disconnected',
      );
      await stop();
      await peer.closed;
    });
  });
});

describe('dbus/connection without a usable bus', () => {
  let folder = '';
  let server: Server | undefined;

  /** A server that answers each line of a handshake with the next of these. */
  async function speaking(...answers: readonly (string | Buffer)[]): Promise<string> {
    folder = await mkdtemp(join(tmpdir(), 'portal-test-'));
    const path = join(folder, 'bus');
    server = createServer((socket) => {
      const left = [...answers];
      socket.on('error', () => undefined);
      socket.on('data', () => {
        const answer = left.shift();
        if (answer === undefined) socket.destroy();
        else socket.write(answer);
      });
    });
    server.listen(path);
    await once(server, 'listening');
    return `unix:path=${path}`;
  }

  afterEach(async () => {
    await new Promise<void>((resolve) => (server === undefined ? resolve() : server.close(() => resolve())));
    server = undefined;
    if (folder !== '') await rm(folder, { recursive: true });
    folder = '';
  });

  it('says that there is no address', async () => {
    const saved = process.env.DBUS_SESSION_BUS_ADDRESS;
    delete process.env.DBUS_SESSION_BUS_ADDRESS;
    try {
      const error = await failureOf(connect());
      assert.equal(error.code, 'invalid');
      assert.include(error.message, 'DBUS_SESSION_BUS_ADDRESS');
    } finally {
      if (saved !== undefined) process.env.DBUS_SESSION_BUS_ADDRESS = saved;
    }
  });

  it('says that nothing listens there', async () => {
    assert.equal((await failureOf(connect({ address: 'unix:path=/nonexistent/bus' }))).code, 'disconnected');
  });

  it('says that the user is refused', async () => {
    const error = await failureOf(connect({ address: await speaking('REJECTED EXTERNAL\r\n') }));
    assert.equal(error.message, 'the message bus refused this user');
  });

  it('gives up on an endless first line', async () => {
    const error = await failureOf(connect({ address: await speaking('x'.repeat(20_000)) }));
    assert.equal(error.code, 'disconnected');
  });

  it('says that the bus hung up while authenticating', async () => {
    assert.equal((await failureOf(connect({ address: await speaking() }))).code, 'disconnected');
  });

  it('says that the bus hung up before Hello', async () => {
    assert.equal((await failureOf(connect({ address: await speaking('OK 00ff\r\n') }))).code, 'disconnected');
  });

  it('ends at the first byte that is no message', async () => {
    const address = await speaking('OK 00ff\r\n', Buffer.from('this is no message at all'));
    const error = await failureOf(connect({ address }));
    assert.equal(error.code, 'disconnected');
    assert.equal(error.cause instanceof Error && 'code' in error.cause && error.cause.code, 'protocol');
  });
});
