// SPDX-License-Identifier: Apache-2.0
import type { KeyObject } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { StoreError } from '../store/error.ts';
import { type Anchor, anchorTag, eventMac, GENESIS, type Link, type StoredEvent, sameMac } from './chain.ts';

/** The keys the chain is made with; both derived from the store's one. */
export interface ChainKeys {
  readonly event: KeyObject;
  readonly anchor: KeyObject;
}

// The exact bytes, not the text: a NUL or a broken sequence must not hide what follows it.
const EVENTS_AFTER = 'SELECT seq, CAST(body AS BLOB) AS body, mac FROM events WHERE seq > ? ORDER BY seq';

/** The stored events after `seq`, oldest first, one at a time. */
export function* storedEvents(database: DatabaseSync, after: number): Generator<StoredEvent> {
  for (const row of database.prepare(EVENTS_AFTER).iterate(after)) {
    yield { seq: Number(row.seq), body: bytesOf(row.body), mac: bytesOf(row.mac) };
  }
}

function bytesOf(value: unknown): Uint8Array {
  return value instanceof Uint8Array ? value : new Uint8Array();
}

/** Where the chain begins; `undefined` when there is an anchor that was not made with the key. Without keys unchecked. */
export function readAnchor(database: DatabaseSync, keys: ChainKeys | undefined): Anchor | undefined {
  const row = database.prepare('SELECT seq, mac, open, tag FROM anchor').get();
  if (row === undefined) return GENESIS;
  const open = parseOpen(String(row.open));
  if (open === undefined) return undefined;
  const anchor = { seq: Number(row.seq), mac: bytesOf(row.mac), open };
  if (keys !== undefined && !sameMac(bytesOf(row.tag), anchorTag(keys.anchor, anchor))) return undefined;
  return anchor;
}

function parseOpen(text: string): string[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.every((each) => typeof each === 'string') ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The place after the last event, where the next one is chained on. The last event is checked with the one before it, so
 * that nothing is ever appended to a chain that was cut or continued by somebody else, or under another key.
 */
export function readHead(database: DatabaseSync, keys: ChainKeys): Link {
  const anchor = readAnchor(database, keys);
  if (anchor === undefined) throw corrupt(database);
  const last = Number(database.prepare('SELECT max(seq) AS seq FROM events').get()?.seq ?? 0);
  if (last <= anchor.seq) return anchor;
  const newest = [...storedEvents(database, Math.max(anchor.seq, last - 2))];
  const event = newest.pop();
  const before = newest.pop() ?? anchor;
  if (event === undefined || !follows(keys, before, event)) throw corrupt(database);
  return event;
}

/** Whether the event is the next one after `before` and was made with the key. */
export function follows(keys: ChainKeys, before: Link, event: StoredEvent): boolean {
  return event.seq === before.seq + 1 && sameMac(event.mac, eventMac(keys.event, before, event.body));
}

function corrupt(database: DatabaseSync): StoreError {
  return new StoreError(
    'StoreCorrupt',
    `the end of the record in \`${database.location() ?? ''}\` was not made with this store's key: ` +
      'run `portalctl audit verify`, keep a copy, and move the store away to begin a new one',
  );
}
