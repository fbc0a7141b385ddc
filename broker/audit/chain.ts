// SPDX-License-Identifier: Apache-2.0
import { createHmac, type KeyObject } from 'node:crypto';

/** The place in the chain right after one event. */
export interface Link {
  readonly seq: number;
  readonly mac: Uint8Array;
}

/** Where retention cut the beginning off: the last event removed, and the intents open at that point. */
export interface Anchor extends Link {
  readonly open: readonly string[];
}

/** One stored event as it comes from the database, unchecked. */
export interface StoredEvent {
  readonly seq: number;
  readonly body: Uint8Array;
  readonly mac: Uint8Array;
}

const MAC_BYTES = 32;

/** The place before the first event. */
export const GENESIS: Anchor = { seq: 0, mac: new Uint8Array(MAC_BYTES), open: [] };

/** HMAC-SHA256(chain key, MAC of the event before || seq as 8 bytes, big-endian || body). */
export function eventMac(key: KeyObject, before: Link, body: string | Uint8Array): Buffer {
  return createHmac('sha256', key)
    .update(prefix(before.mac, before.seq + 1))
    .update(body)
    .digest();
}

/** HMAC-SHA256(anchor key, MAC of the last removed event || its seq as 8 bytes || the open invocations as JSON). */
export function anchorTag(key: KeyObject, anchor: Anchor): Buffer {
  return createHmac('sha256', key)
    .update(prefix(anchor.mac, anchor.seq))
    .update(JSON.stringify(anchor.open))
    .digest();
}

function prefix(mac: Uint8Array, seq: number): Buffer {
  const bytes = Buffer.alloc(MAC_BYTES + 8);
  bytes.set(mac.subarray(0, MAC_BYTES));
  bytes.writeUInt32BE(Math.floor(seq / 2 ** 32), MAC_BYTES);
  bytes.writeUInt32BE(seq % 2 ** 32, MAC_BYTES + 4);
  return bytes;
}

/** Whether two MACs are the same 32 bytes. Not in constant time: whoever reads the file sees the MACs anyway. */
export function sameMac(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === MAC_BYTES && Buffer.compare(a, b) === 0;
}
