// SPDX-License-Identifier: Apache-2.0
import { Effort } from './effort.ts';
import type { Glob } from './glob.ts';
import { includes, overlap, type TooComplex } from './glob-algebra.ts';

/** A pair may take this part of the effort, so that one alone does not keep the others from being looked at. */
const SHARE = 1 / 4;

/**
 * Compares the patterns of many rules, for so much effort in each way. Most pairs are told apart by how they start and cost
 * nothing; of what is beyond the effort nothing is known.
 */
export class TargetPairs {
  readonly #each: number;
  readonly #inclusions: Effort;
  readonly #overlaps: Effort;

  constructor(most: number) {
    this.#each = most * SHARE;
    this.#inclusions = new Effort(most);
    this.#overlaps = new Effort(most);
  }

  /** True only where that is certain. */
  isIncluded(narrow: Glob, wide: Glob): boolean {
    if (narrow.text === wide.text) return true;
    return mayMeet(narrow, wide) && includes(wide, narrow, this.#part(this.#inclusions)) === true;
  }

  /** A text that both match, or that there is none. */
  overlap(a: Glob, b: Glob): { readonly example: string } | 'apart' | TooComplex {
    if (!mayMeet(a, b)) return 'apart';
    return overlap(a, b, this.#part(this.#overlaps)) ?? 'apart';
  }

  #part(whole: Effort): Effort {
    return new Effort(this.#each, whole);
  }
}

/** Every pattern matches something, and all of that starts with its prefix. */
function mayMeet({ prefix: a }: Glob, { prefix: b }: Glob): boolean {
  return a.startsWith(b) || b.startsWith(a);
}
