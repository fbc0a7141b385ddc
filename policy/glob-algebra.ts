// SPDX-License-Identifier: Apache-2.0
import { Effort } from './effort.ts';
import { codePoint, type Glob } from './glob.ts';
import { type Automaton, Walk } from './glob-automaton.ts';

/** The two globs would take too long to compare. */
export type TooComplex = 'too-complex';

/** Whether everything that `narrow` matches is matched by `wide` as well; else one of the shortest texts that is not. */
export function includes(
  wide: Glob,
  narrow: Glob,
  effort = new Effort(MOST_EFFORT),
): true | { readonly counterExample: string } | TooComplex {
  const found = search(narrow, wide, (inNarrow, inWide) => inNarrow && !inWide, effort);
  if (found === 'too-complex') return found;
  return found === undefined ? true : { counterExample: found.text };
}

/** One of the shortest texts that both match; undefined where there is none. */
export function overlap(
  a: Glob,
  b: Glob,
  effort = new Effort(MOST_EFFORT),
): { readonly example: string } | TooComplex | undefined {
  // By far most pairs end here, and whole policies are compared rule by rule.
  if (!a.prefix.startsWith(b.prefix) && !b.prefix.startsWith(a.prefix)) return undefined;
  const found = search(a, b, (inA, inB) => inA && inB, effort);
  return found === undefined || found === 'too-complex' ? found : { example: found.text };
}

/** Where both globs are after the same text. */
interface Stand {
  readonly text: string;
  readonly a: Uint32Array;
  readonly b: Uint32Array;
}

/** Some hundredths of a second. Most pairs take a hundredth of that. */
const MOST_EFFORT = 100_000;
/** What a look costs beside the places. */
const LOOK = 16;
const SLASH = 0x2f;

/**
 * The first stand, the shortest texts first, at which the globs match as sought. Different texts that lead to the same
 * places are one, and what `a` cannot match any more is not followed: so this ends, and misses nothing.
 */
function search(
  a: Glob,
  b: Glob,
  sought: (inA: boolean, inB: boolean) => boolean,
  effort: Effort,
): Stand | TooComplex | undefined {
  if (!effort.spend(a.automaton.steps.length + b.automaton.steps.length)) return 'too-complex';
  const [inA, inB] = [new Places(a.automaton), new Places(b.automaton)];
  // Every match of `a` starts with its prefix.
  const start = { text: a.prefix, a: inA.behind(a.prefix), b: inB.behind(a.prefix) };
  const seen = new Set([keyOf(start)]);
  const queue: Stand[] = [start];
  for (const stand of queue) {
    if (sought(inA.haveEnd(stand.a), inB.haveEnd(stand.b))) return stand;
    for (const char of kindsOf([...inA.named(stand.a), ...inB.named(stand.b)])) {
      const next = {
        text: stand.text + String.fromCodePoint(char),
        a: inA.after(stand.a, char),
        b: inB.after(stand.b, char),
      };
      if (!effort.spend(sizeOf(stand) + sizeOf(next))) return 'too-complex';
      if (next.a.length === 0) continue;
      const key = keyOf(next);
      if (!seen.has(key)) queue.push(next);
      seen.add(key);
    }
  }
  return undefined;
}

/** The characters that can be told apart where these are named: they, `/`, and first of all one that is neither. */
function kindsOf(named: readonly number[]): readonly number[] {
  const kinds = new Set(named).add(SLASH);
  let other = 'x'.charCodeAt(0);
  while (kinds.has(other)) other += 1;
  return [other, ...kinds];
}

/** Equal where the same texts are still to come. */
function keyOf({ a, b }: Stand): string {
  return `${a.join()};${b.join()}`;
}

function sizeOf({ a, b }: Stand): number {
  return LOOK + a.length + b.length;
}

/** The places of one glob, in order. */
class Places {
  readonly #steps: Automaton['steps'];
  readonly #walk: Walk;

  constructor(automaton: Automaton) {
    this.#steps = automaton.steps;
    this.#walk = new Walk(automaton, [0]);
  }

  behind(prefix: string): Uint32Array {
    this.#walk.goTo([0]);
    for (const char of prefix) this.#walk.take(codePoint(char));
    return this.#sorted();
  }

  after(places: Uint32Array, char: number): Uint32Array {
    this.#walk.goTo(places);
    this.#walk.take(char);
    return this.#sorted();
  }

  haveEnd(places: Uint32Array): boolean {
    return places.at(-1) === this.#steps.length - 1;
  }

  /** The characters that are named at these places. */
  named(places: Uint32Array): readonly number[] {
    return Array.from(places).flatMap((place) => {
      const step = this.#steps[place];
      return step !== undefined && step >= 0 ? [step] : [];
    });
  }

  #sorted(): Uint32Array {
    return Uint32Array.from(this.#walk.places).sort();
  }
}
