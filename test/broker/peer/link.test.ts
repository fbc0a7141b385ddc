// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert } from 'chai';
import { BROKER, BUS_NAME } from '../../../broker/bus/names.ts';
import { connectBroker } from '../../../broker/client.ts';
import { BrokerError, brokerError } from '../../../broker/peer/error.ts';
import { BrokerLink } from '../../../broker/peer/link.ts';
import type { Connection } from '../../../dbus/connection.ts';
import { startPrivateBus } from '../../../dbus/daemon.ts';
import { DBusError, type DBusErrorCode } from '../../../dbus/error.ts';
import { useBus } from '../../support/bus.ts';
import { Inbox } from '../inbox.ts';

const ALLOW_REPLACEMENT = 1;
const REPLACE_EXISTING = 2;
const MAIN = join(import.meta.dirname, '..', '..', '..', 'broker', 'main.ts');

describe('BrokerLink', () => {
  const bus = useBus();
  let link: BrokerLink;

  beforeEach(async () => {
    link = await BrokerLink.open({ address: bus.address }, () => ({ name: 'x.Y', text: '' }));
  });

  afterEach(() => link.close());

  async function own(connection: Connection, flags: number): Promise<void> {
    const body = [BUS_NAME, flags];
    const call = {
      destination: 'org.freedesktop.DBus',
      path: '/org/freedesktop/DBus',
      interface: 'org.freedesktop.DBus',
    };
    await connection.call({ ...call, member: 'RequestName', signature: 'su', body });
  }

  it('sees a broker come, change and go, a change as going and coming', async () => {
    const owners = new Inbox<string | null>();
    const stop = link.onOwner((owner) => owners.put(owner ?? null));
    const [first, second] = [await bus.connect(), await bus.connect()];
    await own(first, ALLOW_REPLACEMENT);
    assert.equal(await owners.next(), first.name);
    assert.isTrue(link.isBroker(first.name));
    await own(second, REPLACE_EXISTING);
    assert.isNull(await owners.next());
    assert.equal(await owners.next(), second.name);
    assert.equal(link.owner, second.name);
    assert.isFalse(link.isBroker(first.name), 'the one before is nobody now');
    await Promise.all([first.close(), second.close()]);
    assert.isNull(await owners.next());
    assert.isFalse(link.isBroker(''), 'without a broker nobody is it');
    stop();
  });

  it('believes nobody but the bus about who the broker is', async () => {
    const forger = await bus.connect();
    const signal = {
      path: '/org/freedesktop/DBus',
      interface: 'org.freedesktop.DBus',
      member: 'NameOwnerChanged',
    };
    const to = { destination: link.connection.name, signature: 'sss' };
    forger.emit({ ...signal, ...to, body: [BUS_NAME, '', forger.name] });
    const ping = { path: '/', interface: 'org.freedesktop.DBus.Peer', member: 'Ping' };
    await forger.call({ ...ping, destination: link.connection.name });
    assert.isUndefined(link.owner);
  });

  it('finds one that is there already', async () => {
    const broker = await bus.connect();
    await broker.requestName(BUS_NAME);
    const late = await BrokerLink.open({ address: bus.address }, () => ({ name: 'x.Y', text: '' }));
    assert.equal(late.owner, broker.name);
    await Promise.all([late.close(), broker.close()]);
  });

  it('answers calls to what it does not serve instead of holding them', async () => {
    const stranger = await bus.connect();
    const call = { destination: link.connection.name, path: '/x', interface: 'x.Y', member: 'Z' };
    const error = await stranger.call(call).catch((reason: unknown) => reason);
    assert.equal(Object(error).name, 'org.freedesktop.DBus.Error.UnknownObject');
  });
});

describe('a broker that the bus can start', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'portal-link-'));
    mkdirSync(join(folder, 'store'), { mode: 0o700 });
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function install(program: string): void {
    writeFileSync(
      join(folder, `${BUS_NAME}.service`),
      `[D-BUS Service]\nName=${BUS_NAME}\nExec=${program}\n`,
    );
  }

  it('is started by the first call', async () => {
    install(`${process.execPath} ${MAIN} --store ${join(folder, 'store')}`);
    const bus = await startPrivateBus({ serviceFolders: [folder] });
    const client = await connectBroker({ address: bus.address });
    try {
      const { version } = await client.properties();
      assert.match(version, /^\d+\.\d+\.\d+/);
    } finally {
      await client.close();
      await bus.stop();
    }
  });

  it('is missing where it cannot be started', async () => {
    install('/bin/false');
    const bus = await startPrivateBus({ serviceFolders: [folder] });
    const link = await BrokerLink.open({ address: bus.address }, () => ({ name: 'x.Y', text: '' }));
    try {
      await link.wake();
      assert.isUndefined(link.owner);
      const error = await link.call(BROKER, 'List', 'a{sv}', [{}]).catch((reason: unknown) => reason);
      assert.equal(Object(error).code, 'NoBroker');
    } finally {
      await link.close();
      await bus.stop();
    }
  });

  it('cannot be woken over a bus that is gone', async () => {
    const bus = await startPrivateBus();
    const link = await BrokerLink.open({ address: bus.address }, () => ({ name: 'x.Y', text: '' }));
    await bus.stop();
    const error = await link.wake().catch((reason: unknown) => reason);
    assert.equal(Object(error).code, 'Disconnected');
  });
});

describe('brokerError', () => {
  const wire = (code: DBusErrorCode, name = 'x.Y'): DBusError => new DBusError(code, name, 'text');

  for (const [error, code] of [
    [wire('timeout'), 'Timeout'],
    [wire('aborted'), 'Aborted'],
    [wire('disconnected'), 'Disconnected'],
    [wire('invalid'), 'InvalidArgs'],
    [wire('limit'), 'LimitsExceeded'],
    [wire('protocol'), 'Protocol'],
    [wire('remote', 'org.freedesktop.DBus.Error.ServiceUnknown'), 'NoBroker'],
    [wire('remote', 'org.freedesktop.DBus.Error.NameHasNoOwner'), 'NoBroker'],
    [wire('remote', 'org.freedesktop.DBus.Error.NoReply'), 'Disconnected'],
    [wire('remote', 'org.freedesktop.DBus.Error.NotSupported'), 'NotSupported'],
    [wire('remote', 'org.portal.Broker1.Error.NotAllowed'), 'NotAllowed'],
    [wire('remote', 'org.portal.Broker1.Error.AccessDenied'), 'Failed'],
    [new TypeError('bug'), 'Failed'],
  ] as const) {
    it(`reads ${error instanceof DBusError ? `${error.code} ${error.name}` : error.name} as ${code}`, () => {
      assert.equal(brokerError(error).code, code);
    });
  }

  it('leaves what is one already, and tells no stranger’s words', () => {
    const error = new BrokerError('Failed', 'x');
    assert.equal(brokerError(error), error);
    assert.notInclude(brokerError(new TypeError('secret')).message, 'secret');
  });
});
