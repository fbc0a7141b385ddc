// SPDX-License-Identifier: Apache-2.0
import type { StatementSync } from 'node:sqlite';
import type { Durability, Store } from '../store/database.ts';
import { asStoreError, StoreError } from '../store/error.ts';
import { eventMac, type Link } from './chain.ts';
import type { AuditEvent } from './event.ts';
import { type SealedEvent, sealEvent } from './gate.ts';
import { type OpenIntents, readOpen } from './open-intents.ts';
import { removeOldest } from './prune.ts';
import { type AuditFilter, type AuditRow, type AuditStats, queryEvents, summarize } from './query.ts';
import { type ChainKeys, readHead } from './state.ts';

export interface AuditLimits {
  /** Most rows one query returns. */
  readonly queryRows: number;
  /** Most groups of each kind in the statistics. */
  readonly statsGroups: number;
  /** Most events one call removes: the event loop stands still meanwhile. */
  readonly pruneRows: number;
  /** After how many events the place up to which all intents have ended is written down: bounds the work at start. */
  readonly settleEvery: number;
}

export const AUDIT_LIMITS: AuditLimits = {
  queryRows: 1000,
  statsGroups: 1000,
  pruneRows: 5000,
  settleEvery: 5000,
};

export interface RecordsOptions {
  readonly store: Store;
  /** Milliseconds since the epoch; for the events the record writes about itself. */
  readonly now: () => number;
  readonly limits?: AuditLimits;
}

/**
 * Where events go. Resolves with the event's number, if it has one of its own. What `within` changes in the store is
 * there if and only if the event is.
 */
export interface Recorder {
  append(event: AuditEvent, durability: Durability, within?: () => void): Promise<string | undefined>;
}

/** The end of the chain, to be kept outside the store: with it a later cut is found. */
export interface Checkpoint {
  /** The last event's MAC, hexadecimal. */
  readonly head: string;
  /** Events ever appended: the last one's number. */
  readonly count: number;
}

interface ToWrite {
  readonly sealed: SealedEvent;
  readonly within: (() => void) | undefined;
}

/** The place in the chain it now has, or why it has none. */
type Written = Link | { readonly refused: unknown };

interface Waiting extends ToWrite {
  readonly durability: Durability;
  readonly resolve: (auditId: string) => void;
  readonly reject: (error: unknown) => void;
}

/** The append-only record. One process writes it; nothing in it is held in memory but the intents that are under way. */
export class Records implements Recorder {
  readonly #store: Store;
  readonly #now: () => number;
  readonly #limits: AuditLimits;
  readonly #keys: ChainKeys;
  readonly #insert: StatementSync;
  readonly #settle: StatementSync;
  readonly #open: OpenIntents;
  #head: Link;
  #settleAt: number;
  #waiting: Waiting[] = [];
  #closed = false;

  /** Throws `StoreCorrupt` when the end of the chain was not made with the store's key. */
  constructor({ store, now, limits = AUDIT_LIMITS }: RecordsOptions) {
    const { database } = store;
    this.#store = store;
    this.#now = now;
    this.#limits = limits;
    this.#keys = { event: store.deriveKey('audit chain'), anchor: store.deriveKey('audit anchor') };
    this.#insert = database.prepare('INSERT INTO events (seq, body, mac) VALUES (?, ?, ?)');
    this.#settle = database.prepare('UPDATE settled SET seq = ?');
    this.#head = readHead(database, this.#keys);
    this.#open = readOpen(database, this.#keys);
    this.#settleAt = this.#head.seq + limits.settleEvery;
  }

  /**
   * Appends one event and resolves with its number in decimal once it is committed; with `full`, once it is on the disk.
   * What is appended together (in one turn of the event loop where several intents are under way) is one transaction, synced when one of them asks for it. When that
   * fails, all of them reject with the same `StoreError` and nothing was recorded; later appends start afresh.
   * Rejects with `AuditError` for an event that cannot be recorded.
   *
   * `within` (synchronous, opens no transaction of its own) runs in the same transaction, right after the event is
   * written: what it changes in the store is there if and only if the event is. When it throws, this append alone is
   * refused with what it threw (a failure of SQLite as a `StoreError`), and nothing of it stays.
   */
  append(event: AuditEvent, durability: Durability, within?: () => void): Promise<string> {
    return new Promise((resolve, reject) => {
      if (this.#closed) throw new StoreError('StoreFailed', 'the record is closed');
      const sealed = sealEvent(event);
      // Where several intents are under way, all messages of one read from the bus should share one commit, so it waits
      // for the end of the turn. One alone shares with nobody.
      const soon = this.#open.size <= 1 ? queueMicrotask : setImmediate;
      if (this.#waiting.length === 0) soon(() => this.#flush());
      this.#waiting.push({ sealed, durability, within, resolve, reject });
    });
  }

  /** To be called once before the first append: ends every intent that a crash left open as `unknown`. Returns how many. */
  recover(): number {
    const lost = this.#open.invocations();
    const time = this.#now();
    const events = lost.map((invocation) => ({
      sealed: sealEvent({ type: 'unknown', time, invocation, stage: 'outcome' }),
      within: undefined,
    }));
    if (events.length > 0) this.#commit(events, 'full');
    return lost.length;
  }

  /** Matching events, oldest first, at most `limits.queryRows`. Reads the whole record when nothing bounds it. */
  query(filter: AuditFilter = {}): AuditRow[] {
    return queryEvents(this.#store.database, filter, this.#limits.queryRows);
  }

  /** Counts per type, stage and code, and how well-formed the calls are. Reads the whole record. */
  stats(): AuditStats {
    return summarize(this.#store.database, this.#limits.statsGroups);
  }

  checkpoint(): Checkpoint {
    return { head: Buffer.from(this.#head.mac).toString('hex'), count: this.#head.seq };
  }

  /**
   * Removes the oldest events from before `beforeTime` (milliseconds since the epoch), at most `limits.pruneRows`, and
   * records that. Returns how many: call again while it is the limit. Throws `StoreCorrupt`, removing nothing, when one of
   * them was tampered with: retention does not tidy evidence away.
   */
  prune(beforeTime: number): number {
    let after: Link | undefined;
    const removed = this.#store.transaction('full', () => {
      const count = removeOldest(this.#store.database, this.#keys, beforeTime, this.#limits.pruneRows);
      const pruned = sealEvent({ type: 'pruned', time: this.#now(), count });
      if (count > 0) after = this.#insertAfter(this.#head, pruned.body);
      return count;
    });
    this.#head = after ?? this.#head;
    return removed;
  }

  /** Writes what is waiting and refuses what comes later. The store stays open. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#flush();
    try {
      this.#store.transaction('normal', () => this.#settle.run(this.#open.settledUpTo(this.#head.seq)));
    } catch (error) {
      // It only spares work at the next start; a full disk must not keep us from stopping.
      if (!(error instanceof StoreError)) throw error;
    }
  }

  #flush(): void {
    const batch = this.#waiting;
    this.#waiting = [];
    if (batch.length === 0) return;
    try {
      const durability = batch.some((each) => each.durability === 'full') ? 'full' : 'normal';
      const written = this.#commit(batch, durability);
      batch.forEach(({ resolve, reject }, index) => {
        const one = written[index];
        if (one !== undefined && 'seq' in one) resolve(String(one.seq));
        else reject(one?.refused);
      });
    } catch (error) {
      const failure = asStoreError(error, 'recording');
      for (const each of batch) each.reject(failure);
    }
  }

  /** Writes the events as one transaction. When it throws, nothing has changed. */
  #commit(events: readonly ToWrite[], durability: Durability): readonly Written[] {
    const before = this.#head.seq;
    let head = this.#head;
    const writeAll = () => {
      const all = events.map((event): Written => {
        const one = this.#write(event, head);
        if ('seq' in one) head = one;
        return one;
      });
      if (head.seq >= this.#settleAt) this.#settle.run(this.#open.settledUpTo(before));
      return all;
    };
    const [first, ...others] = events;
    const isOneStatement = first?.within === undefined && others.length === 0 && before + 1 < this.#settleAt;
    const written = isOneStatement
      ? this.#store.statement(durability, writeAll)
      : this.#store.transaction(durability, writeAll);
    this.#head = head;
    if (head.seq >= this.#settleAt) this.#settleAt = head.seq + this.#limits.settleEvery;
    events.forEach(({ sealed: { type, invocation } }, index) => {
      const one = written[index];
      if (one !== undefined && 'seq' in one) this.#open.see(type, invocation, one.seq);
    });
    return written;
  }

  #write({ sealed: { body }, within }: ToWrite, before: Link): Written {
    if (within === undefined) return this.#insertAfter(before, body);
    const { database } = this.#store;
    database.exec('SAVEPOINT within');
    try {
      const link = this.#insertAfter(before, body);
      within();
      database.exec('RELEASE within');
      return link;
    } catch (error) {
      // A full disk, or a `within` that ended our transaction, has undone what others wrote too.
      if (!database.isTransaction) throw error;
      database.exec('ROLLBACK TO within; RELEASE within');
      return { refused: isOfSqlite(error) ? asStoreError(error, 'recording') : error };
    }
  }

  #insertAfter(before: Link, body: string): Link {
    const link = { seq: before.seq + 1, mac: eventMac(this.#keys.event, before, body) };
    this.#insert.run(link.seq, body, link.mac);
    return link;
  }
}

function isOfSqlite(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error;
}
