// SPDX-License-Identifier: Apache-2.0
import { DatabaseSync } from 'node:sqlite';
import { asStoreError } from '../store/error.ts';
import { deriveKey, readKey } from '../store/key.ts';
import { hasExpectedSchema } from '../store/schema.ts';
import { type Anchor, eventMac, GENESIS, type Link, type StoredEvent, sameMac } from './chain.ts';
import { OUTCOMES } from './event.ts';
import { readEvent } from './gate.ts';
import { OpenIntents } from './open-intents.ts';
import { READABLE_EVENTS } from './query.ts';
import { type ChainKeys, readAnchor, storedEvents } from './state.ts';

/** What somebody noted elsewhere about the record: an earlier `checkpoint()`. */
export interface Expectation {
  readonly expectHead?: string;
  readonly expectCount?: number;
}

export type ProblemKind =
  | 'schema-edited'
  | 'anchor-forged'
  | 'sequence-gap'
  | 'mac-wrong'
  | 'not-an-event'
  | 'outcome-without-intent'
  | 'recorded-twice'
  | 'checkpoint-missing'
  | 'checkpoint-differs';

export interface Problem {
  /** The event it was found at; 0 for the store as a whole. */
  readonly seq: number;
  readonly kind: ProblemKind;
}

export interface VerifyReport {
  /** No problem found. Unfinished intents are none: they are under way, or wait for the next start of the broker. */
  readonly ok: boolean;
  /** Events read. */
  readonly events: number;
  readonly problems: readonly Problem[];
  readonly firstBad?: Problem;
  /** MAC of the last event, hexadecimal, and its number: worth noting outside the store. */
  readonly head: string;
  readonly count: number;
  /** Invocations that began and have no outcome yet. */
  readonly unfinished: readonly string[];
  readonly proves: readonly string[];
  readonly cannotProve: readonly string[];
}

/** More would only repeat that the file is broken. */
const MAX_PROBLEMS = 100;

/**
 * Checks a record without changing it, also while a broker writes it. Without a key only the order of things is checked.
 * Reads everything, synchronously: run it in a process or thread of its own when the record is long.
 * Throws `StoreError` when the files cannot be read.
 */
export function verifyChain(
  databasePath: string,
  keyPath?: string,
  expected: Expectation = {},
): VerifyReport {
  const keys = keyPath === undefined ? undefined : readKeys(keyPath);
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(databasePath, { readOnly: true });
    // One snapshot for everything that follows.
    database.exec('PRAGMA trusted_schema = OFF; BEGIN');
    return new Verification(database, keys, expected).report();
  } catch (error) {
    throw asStoreError(error, `verifying \`${databasePath}\``);
  } finally {
    database?.close();
  }
}

function readKeys(keyPath: string): ChainKeys {
  const key = readKey(keyPath);
  return { event: deriveKey(key, 'audit chain'), anchor: deriveKey(key, 'audit anchor') };
}

class Verification {
  readonly #database: DatabaseSync;
  readonly #keys: ChainKeys | undefined;
  readonly #expected: Expectation;
  readonly #problems: Problem[] = [];

  constructor(database: DatabaseSync, keys: ChainKeys | undefined, expected: Expectation) {
    this.#database = database;
    this.#keys = keys;
    this.#expected = expected;
  }

  report(): VerifyReport {
    if (!hasExpectedSchema(this.#database)) this.#found(0, 'schema-edited');
    const anchor = readAnchor(this.#database, this.#keys);
    if (anchor === undefined) this.#found(0, 'anchor-forged');
    const start = anchor ?? GENESIS;
    const open = new OpenIntents(start.open, start.seq);
    let events = 0;
    let last: Link = start;
    this.#checkExpectation(start, start);
    for (const event of storedEvents(this.#database, -1)) {
      this.#checkLink(last, event);
      this.#checkExpectation(start, event);
      this.#checkOrder(open, event);
      last = event;
      events += 1;
    }
    this.#findRepeated();
    this.#checkReached(start, last);
    return this.#summary(start, last, events, open.invocations());
  }

  #checkLink(before: Link, event: StoredEvent): void {
    if (event.seq !== before.seq + 1) this.#found(event.seq, 'sequence-gap');
    else if (
      this.#keys !== undefined &&
      !sameMac(event.mac, eventMac(this.#keys.event, before, event.body))
    ) {
      this.#found(event.seq, 'mac-wrong');
    }
  }

  #checkOrder(open: OpenIntents, event: StoredEvent): void {
    const read = readEvent(Buffer.from(event.body).toString());
    if (read === undefined) {
      this.#found(event.seq, 'not-an-event');
      return;
    }
    const isOutcome = OUTCOMES.includes(read.type);
    if (isOutcome && (read.invocation === undefined || !open.has(read.invocation))) {
      this.#found(event.seq, 'outcome-without-intent');
    }
    open.see(read.type, read.invocation, event.seq);
  }

  /** An attempt begins once and ends once. In SQL, which spills to disk: the invocations of a long record fit no memory. */
  #findRepeated(): void {
    const repeated = this.#database
      .prepare(
        `SELECT max(seq) AS seq FROM (
           SELECT seq, json_extract(body, '$.invocation') AS invocation,
             json_extract(body, '$.type') = 'requested' AS begins
           FROM ${READABLE_EVENTS} WHERE json_extract(body, '$.type') IN
             ('requested', 'executed', 'failed', 'unknown', 'denied', 'expired', 'joined')
         ) WHERE invocation IS NOT NULL GROUP BY invocation, begins HAVING count(*) > 1 ORDER BY seq LIMIT ?`,
      )
      .all(MAX_PROBLEMS);
    for (const row of repeated) this.#found(Number(row.seq), 'recorded-twice');
  }

  /** At the place of the checkpoint, the MAC must be the one noted there. */
  #checkExpectation(start: Anchor, link: Link): void {
    const { expectHead, expectCount } = this.#expected;
    if (expectHead === undefined || expectCount === undefined || expectCount < start.seq) return;
    if (link.seq === expectCount && Buffer.from(link.mac).toString('hex') !== expectHead.toLowerCase()) {
      this.#found(link.seq, 'checkpoint-differs');
    }
  }

  #checkReached(start: Anchor, last: Link): void {
    const { expectHead, expectCount } = this.#expected;
    if (expectCount !== undefined && last.seq < expectCount) this.#found(last.seq, 'checkpoint-missing');
    if (expectHead === undefined || expectCount !== undefined) return;
    const mac = Buffer.from(expectHead, 'hex');
    const known =
      sameMac(mac, start.mac) || this.#database.prepare('SELECT 1 FROM events WHERE mac = ?').get(mac);
    if (!known) this.#found(last.seq, 'checkpoint-missing');
  }

  #found(seq: number, kind: ProblemKind): void {
    if (this.#problems.length < MAX_PROBLEMS) this.#problems.push({ seq, kind });
  }

  #summary(start: Anchor, last: Link, events: number, unfinished: string[]): VerifyReport {
    const problems = this.#problems.toSorted((a, b) => a.seq - b.seq);
    const [firstBad] = problems;
    return {
      ok: firstBad === undefined,
      events,
      problems,
      ...(firstBad === undefined ? {} : { firstBad }),
      head: Buffer.from(last.mac).toString('hex'),
      count: last.seq,
      unfinished,
      proves: firstBad === undefined ? this.#proves(start, last) : [],
      cannotProve: this.#cannotProve(start),
    };
  }

  #proves(start: Anchor, last: Link): string[] {
    const range = `${start.seq + 1} to ${last.seq}`;
    const proves = [
      `in events ${range}, every outcome follows its intent and no attempt begins or ends twice`,
    ];
    if (this.#keys !== undefined) {
      proves.unshift(
        `nobody without the key changed, removed, inserted or reordered one of the events ${range}`,
      );
    }
    if (this.#hasCheckpoint(start))
      proves.push('the record still contains the checkpoint it was compared with');
    return proves;
  }

  #cannotProve(start: Anchor): string[] {
    const cannot = ['that nobody who holds the key, or ran as the broker, rewrote the record'];
    if (this.#keys === undefined) cannot.push('that any event is genuine: no key was given');
    cannot.push(
      this.#hasCheckpoint(start)
        ? 'that nothing after the checkpoint was cut off the end'
        : 'that nothing was cut off the end, or the whole store replaced by an older copy: no checkpoint from outside was given',
    );
    if (start.seq > 0) cannot.push(`what the first ${start.seq} events said: retention removed them`);
    const { expectCount } = this.#expected;
    if (expectCount !== undefined && expectCount < start.seq) {
      cannot.push('that the checkpoint was part of this record: retention removed its event');
    }
    return cannot;
  }

  #hasCheckpoint(start: Anchor): boolean {
    const { expectHead, expectCount } = this.#expected;
    return expectHead !== undefined && (expectCount === undefined || expectCount >= start.seq);
  }
}
