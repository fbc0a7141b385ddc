// SPDX-License-Identifier: Apache-2.0

export interface AllowanceLimits {
  /** How long a turn lasts on the broker's clock, in milliseconds. */
  readonly turnMs: number;
  /** How long a turn that a caller names is remembered, in milliseconds. */
  readonly namedTurnMs: number;
  /** How many counters of each kind are kept for one caller. */
  readonly maxCounters: number;
}

/** Callers whose counters are kept. */
const MOST_ACCOUNTS = 4096;

interface Counter {
  readonly endsAt: number;
  spent: number;
}

/** One use of a capability by somebody. */
export interface Use {
  readonly principal: string;
  readonly capability: string;
  /** The turn that the caller names, if it names one. */
  readonly turn: string | undefined;
  readonly allowed: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

type Counters = Map<string, Counter>;

/** What one caller has used. */
interface Account {
  readonly clock: Counters;
  readonly named: Counters;
}

/**
 * How often one caller may use one capability in one turn. The broker's own clock counts in any case; a turn that a
 * caller names can only narrow that. Each caller has counters of its own, so none can use up another's.
 */
export class Allowances {
  readonly #limits: AllowanceLimits;
  readonly #accounts = new Map<string, Account>();

  constructor(limits: AllowanceLimits) {
    this.#limits = limits;
  }

  /** Whether `spend` would take one, without taking it. */
  hasLeft({ principal, capability, turn, allowed, now }: Use): boolean {
    const account = this.#accounts.get(principal);
    const named = turn === undefined ? undefined : account?.named.get(`${capability}\n${turn}`);
    return [account?.clock.get(capability), named].every(
      (counter) => counter === undefined || now >= counter.endsAt || counter.spent < allowed,
    );
  }

  /** Takes one of `allowed` uses; false, and nothing taken, when the turn's are used up. */
  spend({ principal, capability, turn, allowed, now }: Use): boolean {
    const { turnMs, namedTurnMs, maxCounters } = this.#limits;
    const { clock, named } = this.#account(principal, now);
    const running = current(clock, capability, now);
    if (running === undefined && clock.size >= maxCounters) sweep(clock, now);
    if (running === undefined && clock.size >= maxCounters) return false;
    const counters = [running ?? start(clock, capability, now + turnMs)];
    if (turn !== undefined && hasLeft(counters, allowed)) {
      counters.push(this.#namedTurn(named, `${capability}\n${turn}`, now + namedTurnMs, now));
    }
    if (!hasLeft(counters, allowed)) return false;
    for (const counter of counters) counter.spent += 1;
    return true;
  }

  /** When there are too many callers, who has not come for the longest time is forgotten. */
  #account(principal: string, now: number): Account {
    const account = this.#accounts.get(principal) ?? { clock: new Map(), named: new Map() };
    this.#accounts.delete(principal);
    if (this.#accounts.size >= MOST_ACCOUNTS) this.#forgetIdle(now);
    const [idlest] = this.#accounts.keys();
    if (idlest !== undefined && this.#accounts.size >= MOST_ACCOUNTS) this.#accounts.delete(idlest);
    this.#accounts.set(principal, account);
    return account;
  }

  #forgetIdle(now: number): void {
    for (const [principal, { clock, named }] of this.#accounts) {
      sweep(clock, now);
      sweep(named, now);
      if (clock.size + named.size === 0) this.#accounts.delete(principal);
    }
  }

  /**
   * When there are too many, the oldest is forgotten: whoever wants to get round a named turn names another, so it is no
   * wall.
   */
  #namedTurn(named: Counters, key: string, endsAt: number, now: number): Counter {
    const known = current(named, key, now);
    if (known !== undefined) return known;
    const [oldest] = named.keys();
    if (oldest !== undefined && named.size >= this.#limits.maxCounters) named.delete(oldest);
    return start(named, key, endsAt);
  }
}

function hasLeft(counters: readonly Counter[], allowed: number): boolean {
  return counters.every(({ spent }) => spent < allowed);
}

function current(counters: Counters, key: string, now: number): Counter | undefined {
  const found = counters.get(key);
  if (found !== undefined && now < found.endsAt) return found;
  counters.delete(key);
  return undefined;
}

function start(counters: Counters, key: string, endsAt: number): Counter {
  const counter = { endsAt, spent: 0 };
  counters.set(key, counter);
  return counter;
}

function sweep(counters: Counters, now: number): void {
  for (const [key, { endsAt }] of counters) if (now >= endsAt) counters.delete(key);
}
