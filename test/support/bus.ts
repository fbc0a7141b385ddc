// SPDX-License-Identifier: Apache-2.0
import { after, before } from 'mocha';
import type { Connection, ConnectOptions } from '../../dbus/connection.ts';
import { connect } from '../../dbus/connection.ts';
import type { PrivateBus, PrivateBusOptions } from '../../dbus/daemon.ts';
import { startPrivateBus } from '../../dbus/daemon.ts';

export const startBus = startPrivateBus;

/** One private bus for the tests of a `describe`, and connections to it that close after each of them. */
export interface TestBus {
  readonly address: string;
  connect(options?: ConnectOptions): Promise<Connection>;
}

/** Call it inside a `describe`: the bus starts before its tests, ends after them, and connections end with it. */
export function useBus(options?: PrivateBusOptions): TestBus {
  let bus: PrivateBus | undefined;
  const open: Connection[] = [];
  const address = (): string => {
    if (bus === undefined) throw new Error('the bus runs only while tests run');
    return bus.address;
  };
  before(async () => {
    bus = await startBus(options);
  });
  after(async () => {
    await Promise.all(open.splice(0).map((connection) => connection.close()));
    await bus?.stop();
  });
  return {
    get address() {
      return address();
    },
    async connect(extra = {}) {
      const connection = await connect({ address: address(), ...extra });
      open.push(connection);
      return connection;
    },
  };
}
