// SPDX-License-Identifier: Apache-2.0

/** How much may still be looked at, in places of globs: some ten of them take a microsecond. */
export class Effort {
  readonly #of: Effort | undefined;
  #left: number;

  /** @param of what this is a part of, so that it is spent there as well */
  constructor(most: number, of?: Effort) {
    this.#left = most;
    this.#of = of;
  }

  /** False once more was asked for than there was. */
  spend(places: number): boolean {
    this.#left -= places;
    const isInWhole = this.#of?.spend(places) ?? true;
    return isInWhole && this.#left >= 0;
  }
}
