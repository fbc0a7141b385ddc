// SPDX-License-Identifier: Apache-2.0

/** A timer set for longer would fire at once; in milliseconds. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

export interface Deadline {
  /** On the monotonic clock, in milliseconds. */
  readonly at: number;
  readonly expire: () => void;
}

/**
 * Deadlines that are rarely reached, all on one timer. Most of them are met, and a timer of its own for each costs more
 * than many a call; here one that is met leaves nothing to take back. Like the socket it belongs to, and unlike a timer,
 * a deadline does not keep the process alive.
 */
export class Deadlines {
  readonly #open = new Set<Deadline>();
  #timer: NodeJS.Timeout | undefined;
  #wakesAt = Number.POSITIVE_INFINITY;

  /** Calls `expire` in `ms` milliseconds, unless it was met before; never for `Infinity`. */
  add(ms: number, expire: () => void): Deadline {
    const now = performance.now();
    const deadline = { at: now + ms, expire };
    if (ms !== Number.POSITIVE_INFINITY) {
      this.#open.add(deadline);
      if (deadline.at < this.#wakesAt) this.#wakeAt(deadline.at, now);
    }
    return deadline;
  }

  met(deadline: Deadline): void {
    this.#open.delete(deadline);
  }

  #wakeAt(at: number, now: number): void {
    clearTimeout(this.#timer);
    this.#wakesAt = at;
    this.#timer = setTimeout(this.#wake, Math.min(at - now, LONGEST_TIMER_MS)).unref();
  }

  readonly #wake = (): void => {
    this.#wakesAt = Number.POSITIVE_INFINITY;
    const now = performance.now();
    let next = Number.POSITIVE_INFINITY;
    for (const deadline of [...this.#open]) {
      if (deadline.at > now) next = Math.min(next, deadline.at);
      else if (this.#open.delete(deadline)) deadline.expire();
    }
    if (next < this.#wakesAt) this.#wakeAt(next, now);
  };
}
