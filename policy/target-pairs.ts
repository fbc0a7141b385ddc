// SPDX-License-Identifier: Apache-2.0
import type { Glob } from './glob.ts';
import { includes, overlap, type TooComplex } from './glob-algebra.ts';

/** What one pair of many may take: about a millisecond. */
const EFFORT_EACH = 200_000;

/**
 * Compares the patterns of many rules. Most pairs are told apart by how they start; the others take about a millisecond
 * each, so only so many are looked at in each way, and of what is beyond nothing is known.
 */
export class TargetPairs {
  readonly #left: Record<'inclusions' | 'overlaps', number>;

  constructor(most: number) {
    this.#left = { inclusions: most, overlaps: most };
  }

  /** True only where that is certain. */
  isIncluded(narrow: Glob, wide: Glob): boolean {
    if (narrow.text === wide.text) return true;
    return mayMeet(narrow, wide) && this.#spend('inclusions') && includes(wide, narrow, EFFORT_EACH) === true;
  }

  /** A text that both match, or that there is none. */
  overlap(a: Glob, b: Glob): { readonly example: string } | 'apart' | TooComplex {
    if (!mayMeet(a, b)) return 'apart';
    return this.#spend('overlaps') ? (overlap(a, b, EFFORT_EACH) ?? 'apart') : 'too-complex';
  }

  #spend(way: 'inclusions' | 'overlaps'): boolean {
    this.#left[way] -= 1;
    return this.#left[way] >= 0;
  }
}

/** Every pattern matches something, and all of that starts with its prefix. */
function mayMeet({ prefix: a }: Glob, { prefix: b }: Glob): boolean {
  return a.startsWith(b) || b.startsWith(a);
}
