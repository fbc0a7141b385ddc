// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import type { Message } from 'dbus-native';
import { marshall } from 'dbus-native/lib/message.js';
import type { Connection, IncomingCall } from '../../dbus/connection.ts';
import { BUS_NAME, BUS_PATH } from '../../dbus/messages.ts';
import { type Fault, ObjectTree } from '../../dbus/serve.ts';
import { useBus } from '../support/bus.ts';
import { failureOf } from './failure.ts';
import { RawPeer } from './raw-peer.ts';

const SPEAK = { path: '/a', interface: 'a.b', member: 'Speak' };
const SIGNAL = 4;

describe('dbus against hostile peers', () => {
  const bus = useBus();
  let service: Connection;
  let client: Connection;
  let attacker: RawPeer;
  let decoded: unknown[];

  beforeEach(async () => {
    service = await bus.connect();
    client = await bus.connect();
    attacker = await RawPeer.open(bus.address);
    decoded = [];
    const fault = (): Fault => ({ name: 'a.b.Failed', text: 'failed' });
    new ObjectTree(service, { introspect: () => undefined, fault }).add('/a', [
      {
        name: 'a.b',
        methods: {
          Speak: { in: 's', out: 's', handle: ([text]) => [`heard ${text}`] },
          Take: { in: 'av', out: '', handle: (args) => [decoded.push(...args)].slice(1) },
        },
        properties: { P: { type: 's', get: () => 'p' } },
      },
    ]);
  });
  afterEach(async () => {
    await attacker.close();
  });

  async function stillServes(): Promise<void> {
    const answer = await client.call({
      ...SPEAK,
      destination: service.name,
      signature: 's',
      body: ['hello'],
    });
    assert.deepEqual(answer, ['heard hello']);
  }

  async function errorFrom(message: Message): Promise<string | undefined> {
    const answer = await attacker.answerTo(attacker.send({ type: 1, destination: service.name, ...message }));
    return answer.errorName;
  }

  describe('forged replies', () => {
    /** Makes a call of which the attacker knows the serial, and lets it act before the real answer comes. */
    async function callWhile(forged: Message): Promise<readonly unknown[]> {
      const provider = await bus.connect();
      const arrived = new Promise<IncomingCall>((resolve) => provider.onCall(resolve));
      const answer = client.call({
        ...SPEAK,
        destination: provider.name,
        signature: 's',
        body: ['x'],
      });
      const call = await arrived;
      // The forged answer, and behind it a call: once that is seen, the forged one has been as well.
      client.onCall((probe) => client.reply(probe, '', []));
      attacker.send({ destination: client.name, replySerial: call.serial, ...forged });
      await attacker.answerTo(
        attacker.send({ type: 1, destination: client.name, path: '/', interface: 'a.b', member: 'Probe' }),
      );
      provider.reply(call, 's', ['genuine']);
      return await answer;
    }

    it('are ignored, and the genuine answer counts', async () => {
      assert.deepEqual(await callWhile({ type: 2, signature: 's', body: ['forged'] }), ['genuine']);
    });

    it('are ignored when they are errors', async () => {
      const forged = { type: 3, errorName: 'a.b.Forged', signature: 's', body: ['forged'] };
      assert.deepEqual(await callWhile(forged), ['genuine']);
    });
  });

  it('a forged NameOwnerChanged reaches nobody who asked for the word of the bus', async () => {
    const seen: string[] = [];
    client.watchName(service.name, () => seen.push('vanished'));
    await client.watch({ sender: BUS_NAME, member: 'NameOwnerChanged', arg0: service.name }, () =>
      seen.push('changed'),
    );
    const everything: string[] = [];
    const arrived = new Promise<void>((resolve) => {
      void client.watch({ path: '/end' }, () => resolve());
    });
    await client.watch({ member: 'NameOwnerChanged' }, (signal) => everything.push(signal.sender));
    const forged = {
      type: SIGNAL,
      destination: client.name,
      path: BUS_PATH,
      interface: BUS_NAME,
      member: 'NameOwnerChanged',
    };
    attacker.send({ ...forged, signature: 'sss', body: [service.name, service.name, ''] });
    attacker.send({ ...forged, signature: 'sss', body: [service.name, service.name, ''], sender: BUS_NAME });
    attacker.send({ type: SIGNAL, destination: client.name, path: '/end', interface: 'a.b', member: 'End' });
    await arrived;
    assert.deepEqual(seen, []);
    assert.include(everything, attacker.name, 'the forged signal did arrive');
  });

  describe('strange arguments', () => {
    it('a descriptor index without a descriptor is refused by its signature', async () => {
      assert.equal(
        await errorFrom({ ...SPEAK, signature: 'h', body: [0] }),
        'org.freedesktop.DBus.Error.InvalidArgs',
      );
      await stillServes();
    });

    it('a descriptor index in a reply or a signal is a number and no more', async () => {
      const answer = client.call({ ...SPEAK, destination: attacker.name, signature: 's', body: ['x'] });
      await client.watch({ member: 'H' }, (signal) => decoded.push(signal.body));
      attacker.send({
        type: SIGNAL,
        destination: client.name,
        path: '/a',
        interface: 'a.b',
        member: 'H',
        signature: 'h',
        body: [7],
      });
      const call = await attacker.nextCall();
      attacker.send({
        type: 2,
        destination: client.name,
        replySerial: call.serial ?? 0,
        signature: 'h',
        body: [3],
      });
      assert.deepEqual(await answer, [3]);
      assert.deepEqual(decoded, [[7]]);
    });

    it('4 MiB of variants are not decoded for a method that takes none', async () => {
      // An array of bytes is laid out like one of variants that hold a byte each: 01 `y` 00 VALUE.
      const variants = Buffer.alloc(4 * 2 ** 20, Buffer.from([1, 0x79, 0, 7]));
      const call = {
        ...SPEAK,
        type: 1,
        serial: 9,
        destination: service.name,
        signature: 'ay',
        body: [variants],
      };
      const bytes = marshall(call);
      bytes.write('av', bytes.indexOf('\x02ay\0') + 1);
      attacker.sendBytes(bytes);
      assert.equal((await attacker.answerTo(9)).errorName, 'org.freedesktop.DBus.Error.InvalidArgs');
      await stillServes();
    });

    it('a body over the limit is refused and leaves the connection alone', async () => {
      const text = 'x'.repeat(40 * 2 ** 20);
      assert.equal(
        await errorFrom({ ...SPEAK, signature: 's', body: [text] }),
        'org.freedesktop.DBus.Error.LimitsExceeded',
      );
      await stillServes();
    });

    it('an answer over the limit rejects its call alone', async () => {
      const answer = client.call({ ...SPEAK, destination: attacker.name, signature: 's', body: ['x'] });
      const call = await attacker.nextCall();
      const text = 'x'.repeat(40 * 2 ** 20);
      attacker.send({
        type: 2,
        destination: client.name,
        replySerial: call.serial ?? 0,
        signature: 's',
        body: [text],
      });
      assert.equal((await failureOf(answer)).code, 'limit');
      await stillServes();
    });

    it('an error over the limit rejects its call with its name alone', async () => {
      const answer = client.call({ ...SPEAK, destination: attacker.name, signature: 's', body: ['x'] });
      const call = await attacker.nextCall();
      const text = 'x'.repeat(40 * 2 ** 20);
      const error = {
        type: 3,
        destination: client.name,
        errorName: 'a.b.Huge',
        signature: 's',
        body: [text],
      };
      attacker.send({ ...error, replySerial: call.serial ?? 0 });
      const failure = await failureOf(answer);
      assert.deepEqual([failure.code, failure.name, failure.message], ['remote', 'a.b.Huge', '']);
    });

    it('an endless path goes unanswered and unstored', async () => {
      attacker.send({ ...SPEAK, type: 1, destination: service.name, path: `/${'a'.repeat(2 ** 20)}` });
      await stillServes();
      assert.equal(
        await errorFrom({ ...SPEAK, path: '/b', signature: 's', body: ['x'] }),
        'org.freedesktop.DBus.Error.UnknownObject',
      );
    });

    it('variants as deep as the bus lets them be are decoded', async () => {
      let value: unknown = ['y', 1];
      for (let depth = 0; depth < 60; depth += 1) value = ['v', value];
      assert.isUndefined(await errorFrom({ ...SPEAK, member: 'Take', signature: 'av', body: [[value]] }));
      assert.lengthOf(decoded, 1);
    });

    for (const [signature, body] of [
      ['', []],
      ['u', [1]],
      ['ss', ['a', 'b']],
      ['v', [['s', 'x']]],
      ['as', [['x']]],
    ] as const) {
      it(`the signature \`${signature}\` is refused where \`s\` is due`, async () => {
        assert.equal(
          await errorFrom({ ...SPEAK, signature, body: [...body] }),
          'org.freedesktop.DBus.Error.InvalidArgs',
        );
      });
    }

    it('a string with a zero byte costs the sender its connection, not us ours', async () => {
      const bytes = marshall({
        ...SPEAK,
        type: 1,
        serial: 9,
        destination: service.name,
        signature: 's',
        body: ['a?b'],
      });
      bytes.writeUInt8(0, bytes.lastIndexOf('?'));
      attacker.sendBytes(bytes);
      await attacker.closed;
      await stillServes();
    });

    it('noise costs the sender its connection, not us ours', async () => {
      attacker.sendBytes(Buffer.alloc(4096, 0xff));
      await attacker.closed;
      await stillServes();
    });
  });

  describe('names from the prototype', () => {
    for (const member of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      it(`${member} is no method, no property and no object`, async () => {
        assert.equal(
          await errorFrom({ ...SPEAK, member, signature: 's', body: ['x'] }),
          'org.freedesktop.DBus.Error.UnknownMethod',
        );
        assert.equal(
          await errorFrom({ ...SPEAK, path: `/${member}`, signature: 's', body: ['x'] }),
          'org.freedesktop.DBus.Error.UnknownObject',
        );
        const get = {
          path: '/a',
          interface: 'org.freedesktop.DBus.Properties',
          member: 'Get',
          signature: 'ss',
        };
        assert.equal(
          await errorFrom({ ...get, body: ['a.b', member] }),
          'org.freedesktop.DBus.Error.UnknownProperty',
        );
        assert.equal(
          await errorFrom({ ...get, body: [member, 'P'] }),
          'org.freedesktop.DBus.Error.UnknownInterface',
        );
      });
    }
  });

  it('gets no answer where it said it wants none', async () => {
    const serial = attacker.send({
      ...SPEAK,
      type: 1,
      flags: 1,
      destination: service.name,
      signature: 's',
      body: ['x'],
    });
    const refused = attacker.send({
      ...SPEAK,
      type: 1,
      flags: 1,
      destination: service.name,
      signature: 'u',
      body: [1],
    });
    await attacker.answerTo(
      attacker.send({ ...SPEAK, type: 1, destination: service.name, signature: 's', body: ['x'] }),
    );
    const answered = attacker.received.map((message) => message.replySerial);
    assert.notInclude(answered, serial);
    assert.notInclude(answered, refused);
  });
});

describe('match rules', () => {
  const bus = useBus();

  it('are all gone after 3000 watches came and went', async () => {
    const connection = await bus.connect();
    const count = async (): Promise<unknown> => {
      const call = { destination: BUS_NAME, path: BUS_PATH, interface: 'org.freedesktop.DBus.Debug.Stats' };
      const [stats] = await connection.call({
        ...call,
        member: 'GetConnectionStats',
        signature: 's',
        body: [connection.name],
      });
      return new Map(stats as [string, { value: unknown }][]).get('MatchRules')?.value;
    };
    const before = await count();
    const stops = await Promise.all(
      Array.from({ length: 3000 }, (_, n) => connection.watch({ path: `/p${n % 1000}` }, () => undefined)),
    );
    assert.equal(await count(), Number(before) + 1000);
    await Promise.all(stops.map((stop) => stop()));
    assert.equal(await count(), before);
  });

  it('are one for any number of names', async () => {
    const connection = await bus.connect();
    const stops = Array.from({ length: 3000 }, (_, n) =>
      connection.watchName(`:1.${n + 1000}`, () => undefined),
    );
    const call = { destination: BUS_NAME, path: BUS_PATH, interface: 'org.freedesktop.DBus.Debug.Stats' };
    const [stats] = await connection.call({
      ...call,
      member: 'GetConnectionStats',
      signature: 's',
      body: [connection.name],
    });
    assert.equal(new Map(stats as [string, { value: unknown }][]).get('MatchRules')?.value, 1);
    for (const stop of stops) stop();
  });
});
