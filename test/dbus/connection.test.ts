// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { connect } from '../../dbus/connection.ts';
import { DBusError } from '../../dbus/error.ts';
import { useBus } from '../support/bus.ts';

describe('dbus/connection', () => {
  const bus = useBus();

  it('carries a call and its answer', async () => {
    const server = await bus.connect();
    const client = await bus.connect();
    server.onCall((call) => server.reply(call, 'ss', [call.sender, String(call.body[0])]));
    const call = {
      destination: server.name,
      path: '/a',
      interface: 'a.b',
      member: 'C',
      signature: 's',
      body: ['x'],
    };
    assert.deepEqual(await client.call(call), [client.name, 'x']);
  });

  it('refuses a connection without an address', async () => {
    const saved = process.env.DBUS_SESSION_BUS_ADDRESS;
    delete process.env.DBUS_SESSION_BUS_ADDRESS;
    try {
      const error = await connect().then(assert.fail, (reason: unknown) => reason);
      assert.instanceOf(error, DBusError);
      assert.equal(error.code, 'invalid');
    } finally {
      if (saved !== undefined) process.env.DBUS_SESSION_BUS_ADDRESS = saved;
    }
  });
});
