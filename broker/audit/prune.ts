// SPDX-License-Identifier: Apache-2.0
import type { KeyObject } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { StoreError } from '../store/error.ts';
import { type Anchor, anchorTag, type Link } from './chain.ts';
import { readEvent } from './gate.ts';
import { OpenIntents } from './open-intents.ts';
import { type ChainKeys, follows, readAnchor, storedEvents } from './state.ts';

/**
 * Removes the oldest events, inside a transaction of the caller: those before the first one that is not older than
 * `beforeTime`, at most `limit`. What is left still verifies, because the anchor keeps the last removed event's MAC and
 * the intents that were open there, authenticated with a key of its own. Returns how many were removed.
 */
export function removeOldest(
  database: DatabaseSync,
  keys: ChainKeys,
  beforeTime: number,
  limit: number,
): number {
  const from = readAnchor(database, keys);
  if (from === undefined) throw tampered(0);
  const open = new OpenIntents(from.open, from.seq);
  let last: Link = from;
  for (const event of storedEvents(database, from.seq)) {
    if (event.seq > from.seq + limit) break;
    if (!follows(keys, last, event)) throw tampered(event.seq);
    const time = readEvent(Buffer.from(event.body).toString())?.time ?? 0;
    if (time >= beforeTime) break;
    open.seeStored(event);
    last = event;
  }
  if (last.seq === from.seq) return 0;
  writeAnchor(database, keys.anchor, { ...last, open: open.invocations() });
  database.prepare('DELETE FROM events WHERE seq <= ?').run(last.seq);
  return last.seq - from.seq;
}

function writeAnchor(database: DatabaseSync, key: KeyObject, anchor: Anchor): void {
  database
    .prepare('INSERT OR REPLACE INTO anchor (id, seq, mac, open, tag) VALUES (1, ?, ?, ?, ?)')
    .run(anchor.seq, anchor.mac, JSON.stringify(anchor.open), anchorTag(key, anchor));
}

function tampered(seq: number): StoreError {
  return new StoreError(
    'StoreCorrupt',
    `event ${seq} was not made with this store's key, so nothing was removed: run \`portalctl audit verify\``,
  );
}
