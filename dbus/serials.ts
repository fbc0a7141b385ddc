// SPDX-License-Identifier: Apache-2.0
import { randomFillSync } from 'node:crypto';

const BATCH = 256;

/**
 * Message serials nobody can guess. On a session bus any peer may send a reply; only the serial says which call it
 * answers. Drawn in batches, since one draw of 4 bytes costs as much as one of a kilobyte.
 */
export class Serials {
  readonly #batch = new Uint32Array(BATCH);
  #next = BATCH;

  /** A random number from 1 to 2^32-1 that `taken` does not hold. */
  draw(taken: ReadonlyMap<number, unknown>): number {
    for (;;) {
      if (this.#next === BATCH) {
        randomFillSync(this.#batch);
        this.#next = 0;
      }
      const serial = this.#batch[this.#next] ?? 0;
      this.#next += 1;
      if (serial !== 0 && !taken.has(serial)) return serial;
    }
  }
}
