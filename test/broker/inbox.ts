// SPDX-License-Identifier: Apache-2.0

/** What arrived, one by one: `next` waits for what has not yet. */
export class Inbox<T> {
  readonly #arrived: T[] = [];
  readonly #waiting: ((value: T) => void)[] = [];

  readonly put = (value: T): void => {
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#arrived.push(value);
    else waiting(value);
  };

  async next(): Promise<T> {
    const value = this.#arrived.shift();
    if (value !== undefined) return value;
    return await new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** What arrived and nobody took. */
  get rest(): readonly T[] {
    return this.#arrived;
  }
}
