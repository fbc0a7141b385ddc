// SPDX-License-Identifier: Apache-2.0
import { PolicyError } from './error.ts';
import type { PolicyLimits } from './limits.ts';

/**
 * One step of a glob. Those that take a character go on to the next step, `run` and `deep` may also stay where they are
 * or be passed over; `fork` goes on at each of its places. Every place lies further on, so nothing goes round in circles.
 */
export type Step =
  | { readonly kind: 'literal'; readonly char: string }
  /** `?`: any character but `/`. */
  | { readonly kind: 'one' }
  /** `*`: any number of characters but `/`. */
  | { readonly kind: 'run' }
  /** `**`: any number of characters. */
  | { readonly kind: 'deep' }
  | { readonly kind: 'fork'; readonly places: readonly number[] };

/** A pattern for targets and parameters, ready to be matched. */
export interface Glob {
  /** As it was written. */
  readonly text: string;
  /** What every match starts with. */
  readonly prefix: string;
  /** The steps after the prefix; a match has taken all of them. */
  readonly steps: readonly Step[];
}

/**
 * Reads a glob. Case counts; `*` is any run without `/`, `**` any run, `?` one character but `/`, `{a,b}` one of several,
 * and a backslash makes the next character an ordinary one. Nothing else is special.
 *
 * @throws PolicyError `GlobInvalid` for one that is empty, too long, does not close what it opens, ends in a backslash, or
 *   stands for more texts than `maxExpansion`
 */
export function parseGlob(text: string, limits: Pick<PolicyLimits, 'maxGlobLength' | 'maxExpansion'>): Glob {
  void limits;
  throw new PolicyError('GlobInvalid', text);
}

/** Whether a glob matches all of a text. Takes time in proportion to the length of both multiplied, whatever they are. */
export function matchesGlob(glob: Glob, value: string): boolean {
  throw new PolicyError('GlobInvalid', glob.text + value);
}
