// SPDX-License-Identifier: Apache-2.0
import { GrantError } from './error.ts';

const HOUR_MS = 3_600_000;
/** Of one principal in an hour: each is on record, and so is what became of it. */
const MOST_OPENED = 30;

/** How often each principal asks: whoever asks and takes back again and again only fills the record. */
export class RequestPace {
  readonly #opened = new Map<string, readonly number[]>();

  /** @throws GrantError `TooMany`, and counts nothing */
  count(name: string, time: number): void {
    const lately = (this.#opened.get(name) ?? []).filter((at) => time - at < HOUR_MS);
    if (lately.length >= MOST_OPENED) {
      throw new GrantError(
        'TooMany',
        `${MOST_OPENED} requests in an hour are enough: wait, and ask for what matters`,
      );
    }
    this.#opened.set(name, [...lately, time]);
  }
}
