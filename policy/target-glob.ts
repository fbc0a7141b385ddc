// SPDX-License-Identifier: Apache-2.0
import { PolicyError } from './error.ts';
import { codePoint, type Glob } from './glob.ts';
import { type Automaton, canCome, placesBehind, STEP } from './glob-automaton.ts';

/**
 * Refuses a glob that no target can match, in one of the ways to spell it out at least. Targets have one spelling (a path
 * without `..`, a URL whose host is in lower case), so that such a glob is a slip, and a dangerous one in a rule that denies.
 *
 * @throws PolicyError `GlobInvalid`
 */
export function refuseUnlikeTargets({ prefix, automaton }: Glob): void {
  if (/^~(?:\/|$)/.test(prefix)) throw unlike('`~` stands for no directory: write it out');
  if (prefix.startsWith('/')) refuseUnlikePaths(automaton);
  const [start, scheme] = /^([^/:]*):\/\//.exec(prefix) ?? [];
  if (start === undefined) return;
  if (scheme !== 'http' && scheme !== 'https') {
    throw unlike('a URL starts with `http://` or `https://`, and a file is an absolute path');
  }
  refuseUnlikeHosts(automaton, start.length, scheme === 'http' ? ':80/' : ':443/');
}

const SLASH = codePoint('/');

/** What paths do not hold, and what they do not end in. */
const NOT_IN_PATHS = ['//', '/./', '/../'].map(stepsOf);
const NOT_AT_END = ['/', '/.', '/..'].map((text) => [...stepsOf(text), STEP.END]);
const ROOT = [SLASH, STEP.END];

function refuseUnlikePaths(automaton: Automaton): void {
  if (canCome(automaton, 0, ROOT)) return;
  automaton.steps.forEach((_, place) => {
    if ([...NOT_IN_PATHS, ...NOT_AT_END].some((wanted) => canCome(automaton, place, wanted))) {
      throw unlike('a path has no `//`, `.` or `..` in it and no `/` at its end; `/**` is all that is below');
    }
  });
}

/** Parsers leave none of this in a host. */
const NOT_IN_HOSTS = /[A-Z@#?\\%]|[^!-~]/;

function refuseUnlikeHosts(automaton: Automaton, start: number, usualPort: string): void {
  if (canCome(automaton, start, [SLASH])) throw unlike('a URL has a host');
  // Grows as it goes, up to the `/` that ends the host on every way.
  const places = new Set([start]);
  for (const place of places) {
    const step = automaton.steps[place];
    // Behind the last step there is none: the glob ends before the host does.
    if (step === undefined || step === STEP.DEEP) {
      throw unlike('a URL names its host up to a `/`, without `**`: other hosts would match as well');
    }
    if (step >= 0 && NOT_IN_HOSTS.test(String.fromCodePoint(step))) {
      throw unlike('a host is written in lower case, as in an address bar after punycode');
    }
    if (canCome(automaton, place, stepsOf(usualPort))) throw unlike('a URL leaves out its usual port');
    if (step !== SLASH) for (const next of placesBehind(automaton, place)) places.add(next);
  }
}

function stepsOf(text: string): readonly number[] {
  return [...text].map(codePoint);
}

function unlike(why: string): PolicyError {
  return new PolicyError('GlobInvalid', `no target looks like this: ${why}`);
}
