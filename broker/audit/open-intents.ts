// SPDX-License-Identifier: Apache-2.0
import type { DatabaseSync } from 'node:sqlite';
import { GENESIS, type StoredEvent } from './chain.ts';
import { ENDINGS } from './event.ts';
import { readEvent } from './gate.ts';
import { type ChainKeys, readAnchor, storedEvents } from './state.ts';

/** The intents that have begun and not ended, by invocation, with the place of their intent record, oldest first. */
export class OpenIntents {
  readonly #open: Map<string, number>;

  constructor(invocations: readonly string[], seq: number) {
    this.#open = new Map(invocations.map((invocation) => [invocation, seq]));
  }

  /** Takes one more event into account. */
  see(type: string, invocation: string | undefined, seq: number): void {
    if (invocation === undefined) return;
    if (type === 'requested') this.#open.set(invocation, seq);
    else if (ENDINGS.some((ending) => ending === type)) this.#open.delete(invocation);
  }

  seeStored(event: StoredEvent): void {
    const read = readEvent(Buffer.from(event.body).toString());
    if (read !== undefined) this.see(read.type, read.invocation, event.seq);
  }

  get size(): number {
    return this.#open.size;
  }

  has(invocation: string): boolean {
    return this.#open.has(invocation);
  }

  invocations(): string[] {
    return [...this.#open.keys()];
  }

  /** The last place up to which everything has ended; `head` when nothing is open. */
  settledUpTo(head: number): number {
    const [oldest] = this.#open.values();
    return oldest === undefined ? head : oldest - 1;
  }
}

/** What was under way when the store was last written: from the settled place on, or from the anchor if that is later. */
export function readOpen(database: DatabaseSync, keys: ChainKeys): OpenIntents {
  const settled = Number(database.prepare('SELECT seq FROM settled').get()?.seq ?? 0);
  const anchor = readAnchor(database, keys) ?? GENESIS;
  const start = Math.max(settled, anchor.seq);
  const open = new OpenIntents(anchor.seq > settled ? anchor.open : [], start);
  for (const event of storedEvents(database, start)) open.seeStored(event);
  return open;
}
