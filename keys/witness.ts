// SPDX-License-Identifier: Apache-2.0
import type { BigIntStats } from 'node:fs';
import { lstatEntry } from './anchor-file.ts';

type Aspect = 'content' | 'identity';

/** A file that changed less than this long before it was read may change again without a new time stamp. */
const SETTLED_AFTER_MS = 1000;

/**
 * Remembers the state of every path that a conclusion rests on, so that one `lstat` for each tells whether it still holds.
 *
 * Change times are as coarse as the kernel's tick (4 ms), so two writes within one look like one. Nothing therefore counts as unchanged
 * while the newest change was less than a second old when it was read.
 */
export class Witness {
  readonly #seen = new Map<string, { aspect: Aspect; stats: BigIntStats | undefined }>();
  readonly #readAt: number;
  #newestChange = 0;

  /** @param readAt the wall clock in ms, taken before the first path is looked at */
  constructor(readAt: number) {
    this.#readAt = readAt;
  }

  /** The conclusion will rest on what is in the file or directory, or on its absence. To be called before it is read. */
  sawContent(path: string): void {
    const stats = lstatEntry(path);
    this.#seen.set(path, { aspect: 'content', stats });
    if (stats !== undefined) this.#newestChange = Math.max(this.#newestChange, Number(stats.ctimeMs));
  }

  /** The conclusion rests on this being the same directory with the same owner and mode; its entries are seen by themselves. */
  sawIdentity(path: string): void {
    this.#seen.set(path, { aspect: 'identity', stats: lstatEntry(path) });
  }

  /** Whether all of it is as it was. */
  stillHolds(): boolean {
    if (this.#readAt - this.#newestChange < SETTLED_AFTER_MS) return false;
    for (const [path, { aspect, stats }] of this.#seen) {
      if (!isSame(aspect, stats, lstatEntry(path))) return false;
    }
    return true;
  }
}

function isSame(aspect: Aspect, before: BigIntStats | undefined, now: BigIntStats | undefined): boolean {
  if (before === undefined || now === undefined) return before === now;
  return (
    before.dev === now.dev &&
    before.ino === now.ino &&
    before.mode === now.mode &&
    before.uid === now.uid &&
    before.gid === now.gid &&
    (aspect === 'identity' ||
      (before.size === now.size && before.mtimeNs === now.mtimeNs && before.ctimeNs === now.ctimeNs))
  );
}
