// SPDX-License-Identifier: Apache-2.0
import type { StatementSync } from 'node:sqlite';
import type { Store } from '../store/database.ts';

/** What a person said to one question, or to a request for a grant. */
export type PersonsDecision = 'once' | 'session' | 'modified' | 'deny' | 'deny_session' | 'grant';

export interface EarlierDecision {
  readonly decision: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
}

/** What people decided about a principal and a capability before: shown, for information, with the next question. */
export class Decisions {
  readonly #insert: StatementSync;
  readonly #select: StatementSync;
  readonly #remove: StatementSync;

  constructor({ database }: Pick<Store, 'database'>) {
    this.#insert = database.prepare(
      'INSERT INTO decisions (principal, capability, decision, time) VALUES (?, ?, ?, ?)',
    );
    this.#select = database.prepare(
      `SELECT decision, time FROM decisions WHERE principal = ? AND capability = ?
       ORDER BY time DESC, id DESC LIMIT ?`,
    );
    this.#remove = database.prepare('DELETE FROM decisions WHERE time < ?');
  }

  /**
   * Synchronous, for inside the transaction that records the decision. `principal` is the configured name, so that what
   * is known of a program outlives its process.
   */
  note(principal: string, capability: string, decision: PersonsDecision, time: number): void {
    this.#insert.run(principal, capability, decision, time);
  }

  /** Newest first, at most `most`. */
  earlier(principal: string, capability: string, most: number): readonly EarlierDecision[] {
    return this.#select
      .all(principal, capability, most)
      .map(({ decision, time }) => ({ decision: String(decision), time: Number(time) }));
  }

  /** Forgets what is older than `before` (milliseconds since the epoch). Returns how much. */
  prune(before: number): number {
    return Number(this.#remove.run(before).changes);
  }
}
