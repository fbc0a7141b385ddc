// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import type { Connection, IncomingCall } from '../../dbus/connection.ts';
import { BUS_NAME, BUS_PATH } from '../../dbus/messages.ts';
import { ObjectTree } from '../../dbus/serve.ts';
import { variant } from '../../dbus/values.ts';
import { useBus } from '../support/bus.ts';
import { failureOf } from './failure.ts';

const MEMBER = { path: '/a', interface: 'a.b', member: 'C' };
const LIMITS_EXCEEDED = 'org.freedesktop.DBus.Error.LimitsExceeded';

/** Everything that was sent to this connection before has arrived. */
async function settled(connection: Connection): Promise<void> {
  await connection.call({ destination: BUS_NAME, path: BUS_PATH, interface: BUS_NAME, member: 'GetId' });
}

describe('dbus under a flood', () => {
  const bus = useBus();
  const said = { introspect: () => undefined, fault: () => ({ name: 'a.b.Failed', text: '' }) };

  it('answers others between the large answers that one asks for', async () => {
    const service = await bus.connect();
    const [flooder, other] = [await bus.connect(), await bus.connect()];
    const large = 'x'.repeat(2 ** 20);
    service.onCall((call) => service.reply(call, 's', [call.sender === flooder.name ? large : 'small']));
    let answered = 0;
    const flood = Array.from({ length: 100 }, () =>
      flooder.call({ ...MEMBER, destination: service.name }).then(() => {
        answered += 1;
      }),
    );
    await settled(flooder);
    assert.deepEqual(await other.call({ ...MEMBER, destination: service.name }), ['small']);
    assert.isBelow(answered, 100, 'the other did not wait for all of it');
    await Promise.all(flood);
  });

  it('refuses calls of one sender beyond its number, and takes them again when it has answers', async () => {
    const service = await bus.connect({ limits: { maxUnanswered: 3 }, onFault: () => undefined });
    const client = await bus.connect();
    const open: IncomingCall[] = [];
    service.onCall((call) => open.push(call));
    const call = () => client.call({ ...MEMBER, destination: service.name });
    const waiting = [call(), call(), call()];
    assert.equal((await failureOf(call())).name, LIMITS_EXCEEDED);
    for (const one of open.splice(0)) {
      service.reply(one, 'u', ['misfit']); // answered once, with an error, however often it was tried
      service.reply(one, '', []);
    }
    for (const one of waiting) assert.equal((await failureOf(one)).name, 'org.freedesktop.DBus.Error.Failed');
    const again = [call(), call(), call()];
    assert.equal((await failureOf(call())).name, LIMITS_EXCEEDED);
    for (const one of open) service.reply(one, '', []);
    await Promise.all(again);
  });

  it('counts a call only until it is answered', async () => {
    const service = await bus.connect({ limits: { maxUnanswered: 1 } });
    new ObjectTree(service, said).add('/a', [
      { name: 'a.b', methods: { C: { in: '', out: 's', handle: async () => ['heard'] } } },
    ]);
    const client = await bus.connect();
    for (let count = 0; count < 5; count += 1)
      assert.deepEqual(await client.call({ ...MEMBER, destination: service.name }), ['heard']);
  });

  it('takes smaller messages than it sends where told so', async () => {
    const service = await bus.connect({ limits: { maxIncomingBytes: 1000 } });
    const client = await bus.connect();
    service.onCall((call) => service.reply(call, 's', ['x'.repeat(5000)]));
    const call = (text: string) =>
      client.call({ ...MEMBER, destination: service.name, signature: 's', body: [text] });
    assert.equal(String((await call('short'))[0]).length, 5000);
    assert.equal((await failureOf(call('x'.repeat(2000)))).name, LIMITS_EXCEEDED);
  });

  it('refuses arguments of more values than the limit', async () => {
    const service = await bus.connect({ limits: { maxValues: 100 } });
    let handled = 0;
    const handle = () => {
      handled += 1;
      return [];
    };
    new ObjectTree(service, said).add('/a', [
      { name: 'a.b', methods: { C: { in: 'a{sv}', out: '', handle } } },
    ]);
    const client = await bus.connect();
    const options = (count: number) =>
      Array.from({ length: count }, (_, index) => [`k${index}`, variant('y', 1)]);
    const call = (count: number) =>
      client.call({
        ...MEMBER,
        destination: service.name,
        signature: 'a{sv}',
        body: [options(count)],
      });
    await call(10);
    assert.equal((await failureOf(call(50))).name, LIMITS_EXCEEDED);
    assert.equal(handled, 1);
  });

  it('begins no call of one who left while it waited', async () => {
    const service = await bus.connect();
    const [leaver, stayer] = [await bus.connect(), await bus.connect()];
    service.watchName(':1.0', () => undefined); // so that the bus tells who leaves
    await settled(service);
    for (let count = 0; count < 5; count += 1)
      void leaver.call({ ...MEMBER, destination: service.name }).catch(() => undefined);
    await leaver.close();
    const last = stayer.call({ ...MEMBER, destination: service.name });
    await settled(stayer);
    await settled(service);
    const seen: string[] = [];
    service.onCall((call) => {
      seen.push(call.sender);
      service.reply(call, '', []);
    });
    await last;
    assert.deepEqual(seen, [stayer.name]);
  });
});
