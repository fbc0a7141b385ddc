// SPDX-License-Identifier: Apache-2.0

export interface AllowanceLimits {
  /** How long a turn lasts on the broker's clock, in milliseconds. */
  readonly turnMs: number;
  /** How long a turn that a caller names is remembered, in milliseconds. */
  readonly namedTurnMs: number;
  /** How many counters are kept; beyond that new ones are refused. */
  readonly maxCounters: number;
}

interface Counter {
  readonly endsAt: number;
  spent: number;
}

/**
 * How often one caller may use one capability in one turn. A turn that a caller names can only narrow this: the
 * broker's own clock counts as well, whatever the label says.
 */
export class Allowances {
  readonly #limits: AllowanceLimits;
  readonly #counters = new Map<string, Counter>();

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
    const { turnMs, namedTurnMs } = this.#limits;
    const clock = this.#counter(`${use.principal}\n${use.capability}`, turnMs, use.now);
    const named =
      use.turn === undefined
        ? clock
        : this.#counter(`${use.principal}\n${use.capability}\n${use.turn}`, namedTurnMs, use.now);
    if (clock === undefined || named === undefined) return false;
    if (clock.spent >= use.allowed || named.spent >= use.allowed) return false;
    clock.spent += 1;
    if (named !== clock) named.spent += 1;
    return true;
  }

  #counter(key: string, lastsMs: number, now: number): Counter | undefined {
    const found = this.#counters.get(key);
    if (found !== undefined && now < found.endsAt) return found;
    this.#counters.delete(key);
    if (this.#counters.size >= this.#limits.maxCounters) this.#sweep(now);
    if (this.#counters.size >= this.#limits.maxCounters) return undefined;
    const counter = { endsAt: now + lastsMs, spent: 0 };
    this.#counters.set(key, counter);
    return counter;
  }

  #sweep(now: number): void {
    for (const [key, counter] of this.#counters) if (now >= counter.endsAt) this.#counters.delete(key);
  }
}
