// SPDX-License-Identifier: Apache-2.0

/** Who has something running at this moment, so that a shell can show it and offer to stop it. */
export class Acting {
  readonly #running = new Map<string, number>();
  readonly #changed: (principal: string, active: boolean) => void;

  constructor(changed: (principal: string, active: boolean) => void) {
    this.#changed = changed;
  }

  /** Counts `work` as running for the principal until it settles. */
  async around<T>(principal: string, work: () => Promise<T>): Promise<T> {
    const before = this.#running.get(principal) ?? 0;
    this.#running.set(principal, before + 1);
    if (before === 0) this.#changed(principal, true);
    try {
      return await work();
    } finally {
      const left = (this.#running.get(principal) ?? 1) - 1;
      if (left > 0) this.#running.set(principal, left);
      else {
        this.#running.delete(principal);
        this.#changed(principal, false);
      }
    }
  }
}
