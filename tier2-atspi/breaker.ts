// SPDX-License-Identifier: Apache-2.0
import type { AccessibilityLimits } from './limits.ts';

/** `closed`: ask; `open`: do not; `due`: one question may find out whether the app answers again. */
export type BreakerState = 'closed' | 'open' | 'due';

/**
 * Whether an app is worth asking. One answer that does not come in time is enough to leave an app alone: every further
 * question would cost another wait, and an app that hangs has others' questions in its queue as well.
 */
export class Breaker {
  readonly #limits: Pick<AccessibilityLimits, 'probeAfterMs' | 'probeAtMostMs'>;
  readonly #now: () => number;
  #dueAt: number | undefined;
  #patience = 0;

  /** `now` in milliseconds, monotonic. */
  constructor(limits: Pick<AccessibilityLimits, 'probeAfterMs' | 'probeAtMostMs'>, now: () => number) {
    this.#limits = limits;
    this.#now = now;
  }

  get state(): BreakerState {
    if (this.#dueAt === undefined) return 'closed';
    return this.#now() < this.#dueAt ? 'open' : 'due';
  }

  /** Milliseconds until the app may be tried again; 0 where it may be asked now. */
  get waitMs(): number {
    return this.#dueAt === undefined ? 0 : Math.max(0, this.#dueAt - this.#now());
  }

  /** An answer came, of whatever kind. */
  answered(): void {
    this.#dueAt = undefined;
    this.#patience = 0;
  }

  /** No answer came in time. What was asked before that and stays unanswered too changes nothing. */
  unanswered(): void {
    if (this.state === 'open') return;
    const { probeAfterMs, probeAtMostMs } = this.#limits;
    this.#patience = this.#patience === 0 ? probeAfterMs : Math.min(this.#patience * 2, probeAtMostMs);
    this.#dueAt = this.#now() + this.#patience;
  }
}
