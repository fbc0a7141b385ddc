// SPDX-License-Identifier: Apache-2.0
import type { Connection } from '../dbus/connection.ts';
import type { Change } from '../manifests/registry.ts';
import { BROKER, OPERATOR, ROOT_PATH } from './bus/names.ts';
import type { Sessions } from './bus/sessions.ts';
import type { Listing } from './listing.ts';

/** Tells of a change in the registry: each connection that asked, one by one, and only of what it may see. */
export function tellOfChange(
  change: Change,
  bus: Pick<Connection, 'emit'>,
  sessions: Pick<Sessions, 'all'>,
  listing: Pick<Listing, 'sees'>,
): void {
  for (const session of sessions.all()) {
    const { connection: destination } = session;
    if (session.listed) {
      const seen = (entries: Change['added']) =>
        entries.filter((entry) => listing.sees(session, entry)).map(({ capability }) => capability.id);
      const [added, removed] = [seen(change.added), seen(change.removed)];
      if (added.length + removed.length > 0) {
        const body = [BigInt(change.epoch), added, removed];
        bus.emit({
          destination,
          path: ROOT_PATH,
          interface: BROKER,
          member: 'Changed',
          signature: 'tasas',
          body,
        });
      }
    }
    if (session.followsApps && change.app !== undefined) {
      bus.emit({
        destination,
        path: ROOT_PATH,
        interface: OPERATOR,
        member: 'AppsChanged',
        signature: 'as',
        body: [[change.app]],
      });
    }
  }
}
