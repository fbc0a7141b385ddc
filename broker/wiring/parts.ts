// SPDX-License-Identifier: Apache-2.0
import type { Connection } from '../../dbus/connection.ts';
import type { BrokerConfig } from '../config.ts';
import type { Log } from '../log.ts';
import type { Store } from '../store/database.ts';

/** What the service is made from. */
export interface Parts {
  readonly bus: Connection;
  readonly config: BrokerConfig;
  readonly store: Store;
  readonly version: string;
  readonly log: Log;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}
