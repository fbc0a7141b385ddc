// SPDX-License-Identifier: Apache-2.0

/**
 * The steps of a glob, one number each: a literal character is its code point. A step that takes a character leads to the
 * next one; `RUN` and `DEEP` also lead back to themselves and can be passed over; a `FORK` takes none and leads to its
 * places, all further on. So nothing goes round in circles.
 */
export const STEP = {
  /** `?`: any character but `/`. */
  ONE: -1,
  /** `*`: any number of characters but `/`. */
  RUN: -2,
  /** `**`: any number of characters. */
  DEEP: -3,
  FORK: -4,
  END: -5,
} as const;

export interface Automaton {
  /** The last one is `END`, and no other. */
  readonly steps: readonly number[];
  /** Where each `FORK` leads. */
  readonly forks: ReadonlyMap<number, readonly number[]>;
}

/** The places behind a step, where nothing is passed over or repeated. */
export function placesBehind({ forks }: Automaton, place: number): readonly number[] {
  return forks.get(place) ?? [place + 1];
}

/** Whether these steps can come one after the other at a place, by some choice at the forks. */
export function canCome(automaton: Automaton, place: number, [first, ...rest]: readonly number[]): boolean {
  if (first === undefined) return true;
  const step = automaton.steps[place];
  if (step !== first && step !== STEP.FORK) return false;
  const wanted = step === STEP.FORK ? [first, ...rest] : rest;
  return placesBehind(automaton, place).some((next) => canCome(automaton, next, wanted));
}

const SLASH = 0x2f;

/**
 * Goes all ways through the steps at once, so that no text makes it go back: a character costs no more than there are
 * steps. A place is the index of a step that may be next.
 */
export class Walk {
  readonly #steps: readonly number[];
  readonly #forks: Automaton['forks'];
  /** Per place the round in which it was last reached, so that none is reached twice in one. */
  readonly #reachedIn: Uint32Array;
  #round = 0;
  #places: number[] = [];
  #spare: number[] = [];

  constructor({ steps, forks }: Automaton, places: Iterable<number>) {
    this.#steps = steps;
    this.#forks = forks;
    this.#reachedIn = new Uint32Array(steps.length);
    this.goTo(places);
  }

  /** Stands at these places, and at those that they lead to without taking a character. */
  goTo(places: Iterable<number>): void {
    this.#places.length = 0;
    this.#round += 1;
    for (const place of places) this.#reach(place);
  }

  get places(): readonly number[] {
    return this.#places;
  }

  /** Takes one character, given by its code point. */
  take(char: number): void {
    const before = this.#places;
    this.#places = this.#spare;
    this.#places.length = 0;
    this.#spare = before;
    this.#round += 1;
    for (const place of before) {
      const step = this.#steps[place];
      if (step === char || (step === STEP.ONE && char !== SLASH)) this.#reach(place + 1);
      else if (step === STEP.DEEP || (step === STEP.RUN && char !== SLASH)) this.#reach(place);
    }
  }

  get atEnd(): boolean {
    return this.#places.includes(this.#steps.length - 1);
  }

  #reach(place: number): void {
    if (this.#reachedIn[place] === this.#round) return;
    this.#reachedIn[place] = this.#round;
    this.#places.push(place);
    const step = this.#steps[place];
    if (step === STEP.RUN || step === STEP.DEEP) this.#reach(place + 1);
    else if (step === STEP.FORK)
      this.#forks.get(place)?.forEach((next) => {
        this.#reach(next);
      });
  }
}
