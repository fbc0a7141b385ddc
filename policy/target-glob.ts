// SPDX-License-Identifier: Apache-2.0
import { PolicyError } from './error.ts';
import { codePoint, type Glob } from './glob.ts';
import { type Automaton, canCome, placesBehind, STEP } from './glob-automaton.ts';
import { canonicalEscape } from './percent-encoding.ts';

/**
 * Refuses a glob that no target can match, in one of the ways to spell it out at least. Targets have one spelling (a path
 * without `..`, a URL whose host is in lower case and that encodes no letters), so that such a glob is a slip, and a dangerous one in a rule that denies.
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
  refuseUnlikeUrls(automaton, start.length);
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
const EMPTY_PARTS = ['..', './', '.:'].map(stepsOf);

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
    if (EMPTY_PARTS.some((wanted) => canCome(automaton, place, wanted))) {
      throw unlike('a host has no empty parts, nor a dot at its end');
    }
    if (canCome(automaton, place, stepsOf(usualPort))) throw unlike('a URL leaves out its usual port');
    if (step !== SLASH) for (const next of placesBehind(automaton, place)) places.add(next);
  }
}

/** Parsers turn these into something else wherever in a URL they stand. */
const NOT_IN_URLS = /["<>\\]|[^!-~]/;
const PERCENT = codePoint('%');
const NOT_IN_PATHS_OF_URLS = [
  ...['/./', '/../'].map(stepsOf),
  ...['/.', '/..'].map((text) => [...stepsOf(text), STEP.END]),
];

function refuseUnlikeUrls(automaton: Automaton, start: number): void {
  automaton.steps.forEach((step, place) => {
    if (place < start || step < 0) return;
    if (NOT_IN_URLS.test(String.fromCodePoint(step))) {
      throw unlike('a URL holds such characters percent-encoded');
    }
    if (step === PERCENT) refuseUnlikeEscapes(automaton, place + 1);
    if (NOT_IN_PATHS_OF_URLS.some((wanted) => canCome(automaton, place, wanted))) {
      throw unlike('a URL has no `.` or `..` between its `/`');
    }
  });
}

/** Stands for a wildcard and all that comes behind it. No URL holds it, so no glob for one means it. */
const ANYTHING = '…';
const LIKE_DIGITS = /^(?:…|[0-9A-F]…|[0-9A-F]{2})/;

function refuseUnlikeEscapes(automaton: Automaton, place: number): void {
  for (const digits of startsAt(automaton, place, 2)) {
    const isCanonical = digits.includes(ANYTHING) || canonicalEscape(digits) === `%${digits}`;
    if (LIKE_DIGITS.test(digits) && isCanonical) continue;
    throw unlike('behind `%` come two hex digits in capitals, and letters and digits are not encoded');
  }
}

/** How what can come at a place starts: so many characters, or fewer up to a wildcard or the end. */
function startsAt(automaton: Automaton, place: number, length: number): readonly string[] {
  const step = automaton.steps[place];
  if (length === 0 || step === undefined || step === STEP.END) return [''];
  if (step === STEP.FORK) {
    return placesBehind(automaton, place).flatMap((next) => startsAt(automaton, next, length));
  }
  if (step < 0) return [ANYTHING];
  return startsAt(automaton, place + 1, length - 1).map((rest) => String.fromCodePoint(step) + rest);
}

function stepsOf(text: string): readonly number[] {
  return [...text].map(codePoint);
}

function unlike(why: string): PolicyError {
  return new PolicyError('GlobInvalid', `no target looks like this: ${why}`);
}
