// SPDX-License-Identifier: Apache-2.0
import type { Connection } from '../dbus/connection.ts';
import type { Change } from '../manifests/registry.ts';
import { BROKER, OPERATOR, ROOT_PATH } from './bus/names.ts';
import type { Sessions, Topic } from './bus/sessions.ts';
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
  }
  if (change.app !== undefined) tellOperators('AppsChanged', [[change.app]], bus, sessions);
}

/** Operator's signals, with the topic whose followers receive them. */
const SIGNALS = {
  AppsChanged: { topic: 'apps', signature: 'as' },
  PendingChanged: { topic: 'pending', signature: 'as' },
  Acting: { topic: 'pending', signature: 'sb' },
  Acted: { topic: 'pending', signature: 'sst' },
  GrantsChanged: { topic: 'grants', signature: '' },
  RulesChanged: { topic: 'rules', signature: '' },
} as const satisfies Record<string, { topic: Topic; signature: string }>;

/** Tells the person's tools, those that asked for what it is about. */
export function tellOperators(
  member: keyof typeof SIGNALS,
  body: readonly unknown[],
  bus: Pick<Connection, 'emit'>,
  sessions: Pick<Sessions, 'all'>,
): void {
  const { topic, signature } = SIGNALS[member];
  for (const { connection: destination, follows } of sessions.all()) {
    if (!follows.has(topic)) continue;
    bus.emit({ destination, path: ROOT_PATH, interface: OPERATOR, member, signature, body });
  }
}
