// SPDX-License-Identifier: Apache-2.0
import type { Quotas } from '../config.ts';
import { CallError } from './errors.ts';
import type { Session } from './sessions.ts';

/** What one unit of work takes in or gives out. */
const UNIT_BYTES = 16_384;
const SECOND_MS = 1000;
/** Processes that are remembered; those that owe nothing are forgotten first. */
const MOST_ACCOUNTS = 1000;

interface Account {
  left: number;
  at: number;
}

interface Deps {
  readonly quotas: Pick<Quotas, 'workAtOnce' | 'workPerSecond'>;
  /** Milliseconds. */
  readonly now: () => number;
}

/**
 * How much each process may have the broker read, judge and write out, whatever comes of it. A turn's allowance counts what
 * runs; this counts the work that a caller causes for nothing: asking, listing, being refused.
 */
export class WorkBudget {
  readonly #deps: Deps;
  readonly #accounts = new Map<number, Account>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * Takes `units`, and one more for each 16 KiB. Whoever has anything left may go below zero once, so that no single call is
   * too large for an empty desk; then it waits until that is made up for.
   * @throws CallError `LimitsExceeded`, and takes nothing
   */
  spend(session: Session, units: number, bytes = 0): void {
    const account = this.#accountOf(session);
    if (account.left <= 0) {
      throw new CallError(
        'LimitsExceeded',
        'too much work in a short time: wait a few seconds, and send less',
      );
    }
    account.left -= units + bytes / UNIT_BYTES;
  }

  /** Counts what an answer turned out to hold. */
  answered(session: Session, bytes: number): void {
    this.#accountOf(session).left -= bytes / UNIT_BYTES;
  }

  #accountOf({ principal: { pid } }: Session): Account {
    const { quotas, now } = this.#deps;
    const at = now();
    const known = this.#accounts.get(pid);
    if (known !== undefined) {
      const earned = (Math.max(0, at - known.at) / SECOND_MS) * quotas.workPerSecond;
      known.left = Math.min(quotas.workAtOnce, known.left + earned);
      known.at = at;
      return known;
    }
    if (this.#accounts.size >= MOST_ACCOUNTS) this.#forget(at);
    const account = { left: quotas.workAtOnce, at };
    this.#accounts.set(pid, account);
    return account;
  }

  /** The accounts that have earned all back by now; where there is none, the oldest. */
  #forget(now: number): void {
    const { workAtOnce, workPerSecond } = this.#deps.quotas;
    const [oldest] = this.#accounts.keys();
    for (const [pid, { left, at }] of this.#accounts) {
      if (left + ((now - at) / SECOND_MS) * workPerSecond >= workAtOnce) this.#accounts.delete(pid);
    }
    if (oldest !== undefined && this.#accounts.size >= MOST_ACCOUNTS) this.#accounts.delete(oldest);
  }
}
