// SPDX-License-Identifier: Apache-2.0
import { PolicyError } from './error.ts';
import { type Automaton, STEP, Walk } from './glob-automaton.ts';
import type { PolicyLimits } from './limits.ts';

/** A pattern for targets and parameters, ready to be matched. */
export interface Glob {
  /** As it was written. */
  readonly text: string;
  /** What every match starts with. */
  readonly prefix: string;
  /** Its steps; those of the prefix come first, one for each of its characters. */
  readonly automaton: Automaton;
  /** The place behind the prefix. */
  readonly start: number;
  /** Where there is one wildcard behind the prefix and nothing but ordinary characters after it, as in most globs. */
  readonly plain: { readonly wildcard: number; readonly suffix: string } | undefined;
}

type GlobLimits = Pick<PolicyLimits, 'maxGlobLength' | 'maxExpansion'>;

/**
 * Reads a glob. Case counts; `*` is any run without `/`, `**` any run, `?` one character but `/`, `{a,b}` one of several,
 * and a backslash makes the next character an ordinary one. Nothing else is special.
 *
 * @throws PolicyError `GlobInvalid` for one that is empty, too long, not well formed (a lone surrogate, a brace without its
 *   other, a backslash at the end), or stands for more texts than `maxExpansion`
 */
export function parseGlob(text: string, limits: GlobLimits): Glob {
  if (text === '') throw invalid('it is empty');
  if (text.length > limits.maxGlobLength)
    throw invalid(`it is longer than ${limits.maxGlobLength} characters`);
  if (!text.isWellFormed()) throw invalid('it holds half a character');
  const automaton = new Reader(text, limits.maxExpansion).read();
  const start = automaton.steps.findIndex(isSpecial);
  const prefix = String.fromCodePoint(...automaton.steps.slice(0, start));
  return { text, prefix, automaton, start, plain: plainOf(automaton.steps.slice(start)) };
}

function isSpecial(step: number): boolean {
  return step < 0;
}

function plainOf([wildcard, ...rest]: readonly number[]): Glob['plain'] {
  if (wildcard !== STEP.RUN && wildcard !== STEP.DEEP) return undefined;
  const suffix = rest.slice(0, -1);
  return suffix.some(isSpecial) ? undefined : { wildcard, suffix: String.fromCodePoint(...suffix) };
}

/** Whether a glob matches all of a text. Never takes longer than the lengths of both multiplied. */
export function matchesGlob({ prefix, start, automaton, plain }: Glob, value: string): boolean {
  if (!value.startsWith(prefix)) return false;
  if (plain === undefined) return matchesFrom(start, automaton, value.slice(prefix.length));
  const between = value.length - plain.suffix.length;
  if (between < prefix.length || !value.endsWith(plain.suffix)) return false;
  return plain.wildcard === STEP.DEEP || !value.slice(prefix.length, between).includes('/');
}

function matchesFrom(start: number, automaton: Automaton, rest: string): boolean {
  const walk = new Walk(automaton, [start]);
  for (const char of rest) {
    walk.take(codePoint(char));
    if (walk.places.length === 0) return false;
  }
  return walk.atEnd;
}

/** Of a text of one character. */
export function codePoint(char: string): number {
  return char.codePointAt(0) ?? STEP.END;
}

function invalid(why: string): PolicyError {
  return new PolicyError('GlobInvalid', `the pattern cannot be used: ${why}`);
}

/** In one glob: matching takes as many steps for each character as there are of them. */
const MOST_WILDCARDS = 32;
/** Pairs of braces in one glob. Reading and walking go one call deeper with each: thousands would not end well. */
const MOST_BRACES = 100;

/** Turns the text into steps, and counts what its braces stand for without writing that out. */
class Reader {
  readonly #chars: readonly string[];
  readonly #mostTexts: number;
  readonly #steps: number[] = [];
  readonly #forks = new Map<number, readonly number[]>();
  #at = 0;
  #pairs = 0;
  #wildcards = 0;

  constructor(text: string, mostTexts: number) {
    this.#chars = [...text];
    this.#mostTexts = mostTexts;
  }

  read(): Automaton {
    this.#sequence(false);
    this.#steps.push(STEP.END);
    return { steps: this.#steps, forks: this.#forks };
  }

  /** Reads to the end, or inside braces up to what ends one alternative. Gives the number of texts it stands for. */
  #sequence(inBraces: boolean): number {
    let texts = 1;
    for (;;) {
      const char = this.#chars[this.#at];
      if (char === undefined || (inBraces && (char === ',' || char === '}'))) return texts;
      this.#at += 1;
      texts = this.#counted(texts * this.#element(char));
    }
  }

  #element(char: string): number {
    if (char === '{') return this.#braces();
    if (char === '}') throw invalid('`}` closes nothing: write `\\}` for the character itself');
    this.#steps.push(this.#step(char));
    return 1;
  }

  #step(char: string): number {
    if (char === '?') return STEP.ONE;
    if (char === '*') {
      this.#wildcards += 1;
      if (this.#wildcards > MOST_WILDCARDS)
        throw invalid(`it has more than ${MOST_WILDCARDS} of \`*\` and \`**\``);
      return this.#stars();
    }
    return codePoint(char === '\\' ? this.#escaped() : char);
  }

  #stars(): number {
    if (this.#chars[this.#at] !== '*') return STEP.RUN;
    while (this.#chars[this.#at] === '*') this.#at += 1;
    return STEP.DEEP;
  }

  #escaped(): string {
    const char = this.#chars[this.#at];
    if (char === undefined) throw invalid('it ends in a backslash');
    this.#at += 1;
    return char;
  }

  #braces(): number {
    this.#pairs += 1;
    if (this.#pairs > MOST_BRACES) throw invalid(`it has more than ${MOST_BRACES} pairs of braces`);
    const starts: number[] = [];
    const ends: number[] = [];
    let texts = 0;
    this.#fork(starts);
    for (let char: string | undefined = ','; char !== '}'; this.#at += 1) {
      starts.push(this.#steps.length);
      texts = this.#counted(texts + this.#sequence(true));
      // Each alternative goes on behind the last one, wherever that will be.
      this.#fork(ends);
      char = this.#chars[this.#at];
      if (char === undefined) throw invalid('`{` is not closed: write `\\{` for the character itself');
    }
    ends.push(this.#steps.length);
    return texts;
  }

  #fork(places: readonly number[]): void {
    this.#forks.set(this.#steps.length, places);
    this.#steps.push(STEP.FORK);
  }

  #counted(texts: number): number {
    if (texts <= this.#mostTexts) return texts;
    throw invalid(`its braces stand for more than ${this.#mostTexts} texts`);
  }
}
