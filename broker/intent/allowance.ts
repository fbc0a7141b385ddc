// SPDX-License-Identifier: Apache-2.0

export interface AllowanceLimits {
  /** How long a turn lasts on the broker's clock, in milliseconds. */
  readonly turnMs: number;
  /** How long a turn that a caller names is remembered, in milliseconds. */
  readonly namedTurnMs: number;
  /** How many counters of each kind are kept. */
  readonly maxCounters: number;
}

interface Counter {
  readonly endsAt: number;
  spent: number;
}

type Counters = Map<string, Counter>;

/**
 * How often one caller may use one capability in one turn. The broker's own clock counts in any case; a turn that a
 * caller names can only narrow that.
 */
export class Allowances {
  readonly #limits: AllowanceLimits;
  readonly #clock: Counters = new Map();
  readonly #named: Counters = new Map();

  constructor(limits: AllowanceLimits) {
    this.#limits = limits;
  }

  /** Takes one of `allowed` uses; false, and nothing taken, when the turn's are used up. */
  spend(use: {
    principal: string;
    capability: string;
    turn: string | undefined;
    allowed: number;
    now: number;
  }): boolean {
    const { principal, capability, turn, allowed, now } = use;
    const { turnMs, namedTurnMs, maxCounters } = this.#limits;
    const key = `${principal}\n${capability}`;
    const clock = current(this.#clock, key, now);
    if (clock === undefined && this.#clock.size >= maxCounters) sweep(this.#clock, now);
    if (clock === undefined && this.#clock.size >= maxCounters) return false;
    const counters = [clock ?? start(this.#clock, key, now + turnMs)];
    if (turn !== undefined && hasLeft(counters, allowed)) {
      counters.push(this.#namedTurn(`${key}\n${turn}`, now + namedTurnMs, now));
    }
    if (!hasLeft(counters, allowed)) return false;
    for (const counter of counters) counter.spent += 1;
    return true;
  }

  /**
   * When there are too many, the oldest is forgotten: whoever wants to get round a named turn names another, so it is no
   * wall, and one caller's labels must not leave the others without any.
   */
  #namedTurn(key: string, endsAt: number, now: number): Counter {
    const known = current(this.#named, key, now);
    if (known !== undefined) return known;
    const [oldest] = this.#named.keys();
    if (oldest !== undefined && this.#named.size >= this.#limits.maxCounters) this.#named.delete(oldest);
    return start(this.#named, key, endsAt);
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
