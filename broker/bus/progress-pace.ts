// SPDX-License-Identifier: Apache-2.0

interface Pause {
  newest: (() => void) | undefined;
}

/** Passes on what apps report of their progress, at a pace that a person can follow: of what comes faster, the newest. */
export class ProgressPace {
  readonly #everyMs: number;
  /** By invocation. */
  readonly #pauses = new Map<string, Pause>();

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  /** @param send tells the caller, if the invocation still runs then */
  report(invocation: string, send: () => void): void {
    const pause = this.#pauses.get(invocation);
    if (pause === undefined) this.#sendAndPause(invocation, send);
    else pause.newest = send;
  }

  #sendAndPause(invocation: string, send: () => void): void {
    send();
    const pause: Pause = { newest: undefined };
    this.#pauses.set(invocation, pause);
    setTimeout(() => {
      this.#pauses.delete(invocation);
      if (pause.newest !== undefined) this.#sendAndPause(invocation, pause.newest);
    }, this.#everyMs).unref();
  }
}
