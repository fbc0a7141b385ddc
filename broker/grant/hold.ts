// SPDX-License-Identifier: Apache-2.0

/**
 * One use of a grant, taken before it is known whether anything will run. It counts against the grant from the moment it
 * is taken, so that of fifty intents at once each sees what the others took.
 *
 * To be ended in one of two ways: `commit` inside the transaction of the intent's record and `settled` once that
 * transaction is on the disk; or `release`, which is safe to call in any case and gives back what was not settled.
 */
export interface Hold {
  /** The grant's id, or `session` for a person's answer for the session: what the record may say. */
  readonly grant: string;
  /**
   * Counts the use in the store. Synchronous, inside the transaction that records the intent: rolled back with it.
   * @throws GrantError `NotFound` when the grant was revoked or ended since it was taken: then the intent is not recorded
   */
  commit(): void;
  /** The transaction with `commit` in it is done: the use is spent, whatever becomes of the intent. */
  settled(): void;
  /** Gives the use back unless it is settled. Any number of times. */
  release(): void;
}
