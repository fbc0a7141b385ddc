// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { marshall } from 'dbus-native/lib/message.js';
import { DBusError } from '../../dbus/error.ts';
import { BUS_NAME, BUS_PATH } from '../../dbus/messages.ts';
import { ObjectTree } from '../../dbus/serve.ts';
import { MESSAGE } from '../../dbus/wire.ts';
import { FalseBus } from './false-bus.ts';

const CALL = { type: MESSAGE.call, serial: 50, path: '/a', interface: 'a.b', member: 'M', sender: ':1.9' };
const CHANGED = {
  type: MESSAGE.signal,
  path: BUS_PATH,
  interface: BUS_NAME,
  member: 'NameOwnerChanged',
  sender: BUS_NAME,
};

describe('dbus with a bus that breaks its promises', () => {
  let bus: FalseBus;
  beforeEach(async () => {
    bus = await FalseBus.start();
    const fault = () => ({ name: 'a.b.Fault', text: 'fault' });
    new ObjectTree(bus.client, { introspect: () => undefined, fault }).add('/a', [
      { name: 'a.b', methods: { M: { in: 's', out: '', handle: () => [] } } },
    ]);
  });
  afterEach(async () => {
    await bus.stop();
  });

  async function answerTo(serial: number) {
    const { type, errorName } = await bus.next((frame) => frame.replySerial === serial);
    return [type, errorName];
  }

  it('answers a call whose body its signature does not fit', async () => {
    const bytes = marshall({ ...CALL, signature: 's', body: ['text'] });
    bytes.writeUInt32LE(1000, bytes.length - 9); // the length of the string
    bus.sendBytes(bytes);
    assert.deepEqual(await answerTo(50), [MESSAGE.error, 'org.freedesktop.DBus.Error.InvalidArgs']);
  });

  it('answers a call without an interface', async () => {
    const { interface: _, ...bare } = CALL;
    bus.send({ ...bare, signature: 's', body: ['x'] });
    assert.deepEqual(await answerTo(50), [MESSAGE.error, 'org.freedesktop.DBus.Error.UnknownInterface']);
  });

  it('ends the connection over a message from nobody', async () => {
    const { sender: _, ...anonymous } = CALL;
    bus.send({ ...anonymous, signature: 's', body: ['x'] });
    const reason = await bus.client.closed;
    assert.instanceOf(reason, DBusError);
    assert.equal(reason.code, 'protocol');
  });

  it('makes nothing of a change of names in another form', async () => {
    const seen: string[] = [];
    bus.client.watchName(':1.3', () => seen.push('vanished'));
    const add = await bus.next((frame) => frame.member === 'AddMatch');
    bus.send({ type: MESSAGE.reply, serial: 2, replySerial: add.serial, sender: BUS_NAME });
    bus.send({ ...CHANGED, serial: 3, signature: 'ssu', body: [':1.3', ':1.3', 0] });
    bus.send({ ...CHANGED, serial: 4, signature: 'sss', body: [':1.4', ':1.4', ''] });
    bus.send({ ...CALL, signature: 's', body: ['x'] });
    await answerTo(50);
    assert.deepEqual(seen, []);
    bus.send({ ...CHANGED, serial: 5, signature: 'sss', body: [':1.3', ':1.3', ''] });
    bus.send({ ...CALL, serial: 51, signature: 's', body: ['x'] });
    await answerTo(51);
    assert.deepEqual(seen, ['vanished']);
  });

  it('believes a change of owner over an older answer that comes after it', async () => {
    const seen: string[] = [];
    const watching = bus.client.watch({ sender: 'a.b.Service', member: 'S' }, (signal) =>
      seen.push(signal.sender),
    );
    const ask = await bus.next((frame) => frame.member === 'GetNameOwner');
    const rules = [await bus.next((frame) => frame.member === 'AddMatch')];
    rules.push(await bus.next((frame) => frame.member === 'AddMatch' && frame !== rules[0]));
    for (const rule of rules)
      bus.send({ type: MESSAGE.reply, serial: 2, replySerial: rule.serial, sender: BUS_NAME });
    bus.send({ ...CHANGED, serial: 3, signature: 'sss', body: ['a.b.Service', ':1.3', ':1.4'] });
    const answer = { type: MESSAGE.reply, serial: 4, replySerial: ask.serial, sender: BUS_NAME };
    bus.send({ ...answer, signature: 's', body: [':1.3'] });
    await watching;
    for (const sender of [':1.3', ':1.4']) bus.send({ ...CALL, type: MESSAGE.signal, member: 'S', sender });
    bus.send({ ...CALL, signature: 's', body: ['x'] });
    await answerTo(50);
    assert.deepEqual(seen, [':1.4']);
  });

  it('adds a rule again that the bus refused before', async () => {
    const refused = bus.client.watch({ member: 'S' }, () => undefined).catch((error: unknown) => error);
    const first = await bus.next((frame) => frame.member === 'AddMatch');
    const refusal = { type: MESSAGE.error, serial: 2, replySerial: first.serial, sender: BUS_NAME };
    bus.send({ ...refusal, errorName: 'org.freedesktop.DBus.Error.LimitsExceeded' });
    assert.instanceOf(await refused, DBusError);
    const watching = bus.client.watch({ member: 'S' }, () => undefined);
    const second = await bus.next((frame) => frame.member === 'AddMatch' && frame !== first);
    bus.send({ type: MESSAGE.reply, serial: 3, replySerial: second.serial, sender: BUS_NAME });
    const stopped = (await watching)();
    const removal = await bus.next((frame) => frame.member === 'RemoveMatch');
    bus.send({ type: MESSAGE.reply, serial: 4, replySerial: removal.serial, sender: BUS_NAME });
    await stopped;
  });

  it('ends the connection where it cannot follow names any more: it would trust peers that are gone', async () => {
    bus.client.watchName(':1.3', () => undefined);
    const add = await bus.next((frame) => frame.member === 'AddMatch');
    const refusal = { type: MESSAGE.error, serial: 2, replySerial: add.serial, sender: BUS_NAME };
    bus.send({
      ...refusal,
      errorName: 'org.freedesktop.DBus.Error.LimitsExceeded',
      signature: 's',
      body: ['too many'],
    });
    const reason = await bus.client.closed;
    assert.instanceOf(reason, DBusError);
    assert.equal(reason.name, 'org.freedesktop.DBus.Error.LimitsExceeded');
  });

  it('ends the connection over a malformed message, and rejects what waits', async () => {
    const waiting = bus.client
      .call({ destination: ':1.9', path: '/', interface: 'a.b', member: 'M' })
      .catch((error) => error);
    bus.sendBytes(Buffer.alloc(64, 0xff));
    const reason = await bus.client.closed;
    assert.instanceOf(reason, DBusError);
    assert.equal(reason.code, 'protocol');
    const error: unknown = await waiting;
    assert.instanceOf(error, DBusError);
    assert.deepEqual([error.code, error.cause], ['disconnected', reason]);
  });
});
