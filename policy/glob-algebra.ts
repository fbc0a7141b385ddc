// SPDX-License-Identifier: Apache-2.0
import type { Glob } from './glob.ts';
import { type Automaton, Walk } from './glob-automaton.ts';

/** The two globs would take too long to compare. */
export type TooComplex = 'too-complex';

/** Whether everything that `narrow` matches is matched by `wide` as well; else one of the shortest texts that is not. */
export function includes(
  wide: Glob,
  narrow: Glob,
  effort = MOST_EFFORT,
): true | { readonly counterExample: string } | TooComplex {
  const found = search(narrow, wide, (inNarrow, inWide) => inNarrow && !inWide, effort);
  if (found === 'too-complex') return found;
  return found === undefined ? true : { counterExample: found.text };
}

/** One of the shortest texts that both match; undefined where there is none. */
export function overlap(
  a: Glob,
  b: Glob,
  effort = MOST_EFFORT,
): { readonly example: string } | TooComplex | undefined {
  // By far most pairs end here, and whole policies are compared rule by rule.
  if (!a.prefix.startsWith(b.prefix) && !b.prefix.startsWith(a.prefix)) return undefined;
  const found = search(a, b, (inA, inB) => inA && inB, effort);
  return found === undefined || found === 'too-complex' ? found : { example: found.text };
}

/** Where both globs are after the same text. */
interface Stand {
  readonly text: string;
  readonly a: Walk;
  readonly b: Walk;
}

/**
 * What one comparison may take: for each stand come to, known ones included, the steps of both globs, since a stand is as
 * large as they are. Some hundredths of a second; most pairs take a thousandth of that.
 */
const MOST_EFFORT = 1_000_000;
const SLASH = 0x2f;

/**
 * The first stand, the shortest texts first, at which the globs match as sought. Different texts that lead to the same
 * places are one, and what `a` cannot match any more is not followed: so this ends, and misses nothing.
 */
function search(
  a: Glob,
  b: Glob,
  sought: (inA: boolean, inB: boolean) => boolean,
  effort: number,
): Stand | TooComplex | undefined {
  const start = { text: '', a: new Walk(a.automaton, [0]), b: new Walk(b.automaton, [0]) };
  const chars = charactersOf(a.automaton, b.automaton);
  const seen = new Set([keyOf(start)]);
  const queue: Stand[] = [start];
  const each = a.automaton.steps.length + b.automaton.steps.length;
  let left = effort;
  for (const stand of queue) {
    if (sought(stand.a.atEnd, stand.b.atEnd)) return stand;
    for (const char of chars) {
      left -= each;
      if (left < 0) return 'too-complex';
      const next = after(stand, char, a.automaton, b.automaton);
      if (next.a.places.length === 0) continue;
      const key = keyOf(next);
      if (!seen.has(key)) queue.push(next);
      seen.add(key);
    }
  }
  return undefined;
}

function after(stand: Stand, char: number, a: Automaton, b: Automaton): Stand {
  const next = {
    text: stand.text + String.fromCodePoint(char),
    a: new Walk(a, stand.a.places),
    b: new Walk(b, stand.b.places),
  };
  next.a.take(char);
  next.b.take(char);
  return next;
}

/** Equal where the same texts are still to come. */
function keyOf({ a, b }: Stand): string {
  return [a, b].map(({ places }) => places.toSorted((one, other) => one - other).join()).join(';');
}

/** One of each kind that the globs can tell apart: those they name, `/`, and one that is neither. */
function charactersOf(a: Automaton, b: Automaton): readonly number[] {
  const named = new Set([...a.steps, ...b.steps].filter((step) => step >= 0)).add(SLASH);
  let other = 'x'.charCodeAt(0);
  while (named.has(other)) other += 1;
  return [other, ...named];
}
