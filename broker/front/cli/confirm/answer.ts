// SPDX-License-Identifier: Apache-2.0
import type { Row, Verdict } from './row.ts';

/** A verdict, or what has to happen before one. */
export type Answer =
  | Verdict
  | 'allow-changed'
  | 'show-all'
  | 'show-all-first'
  | 'own-word-first'
  | 'not-offered'
  | 'change';

export interface Offered {
  /** The decisions that have an effect here. */
  readonly choices: readonly string[];
  /** Whether something on the screen is cut. */
  readonly isCut: boolean;
  /** Whether to allow it takes a word more, so that nobody does it in passing. */
  readonly ownWord: boolean;
  /** Whether the parameters on the screen are the person's own by now. */
  readonly changed: boolean;
  /** Whether there is an editor to change them with. */
  readonly canChange: boolean;
}

const ALLOW = 'allow';
const ALLOW_DESTRUCTIVE = 'allow destructive';
const LONGEST_SESSION = 480;
/** What has an effect on some questions. */
const ELSEWHERE = /^(?:allow session|change|later)$/;

/** What is offered for a row at this moment. */
export function offer(row: Row, seen: { isCut: boolean; of: number; canChange: boolean }): Offered {
  const { isCut, of, canChange } = seen;
  const changed = row.changed === true;
  return { choices: row.choices, isCut, ownWord: of > 1 && row.ownTick, changed, canChange };
}

/**
 * What a typed line means. Only the whole words that are offered let anything run; whatever is not understood denies,
 * because a question that is asked again can be answered by accident. Words that are plainly another wish than no, and
 * are not offered here, are no answer: whoever types them does not mean to refuse.
 */
export function interpret(line: string, offered: Offered): Answer {
  const words = line.trim();
  const { choices, isCut, canChange } = offered;
  if (words === 'v' && isCut) return 'show-all';
  const allowed = allowing(words, offered);
  if (allowed !== undefined) return isCut ? 'show-all-first' : allowed;
  if (words === ALLOW && offered.ownWord) return 'own-word-first';
  if (words === 'change' && canChange && choices.includes('modified')) return 'change';
  if (words === 'later' && choices.includes('later')) return { decision: 'later' };
  if (words === 'deny session' && choices.includes('deny_session')) return { decision: 'deny_session' };
  if (ELSEWHERE.test(words)) return 'not-offered';
  const note = /^note\s+(\S.*)$/.exec(words)?.[1];
  return note === undefined ? { decision: 'deny' } : { decision: 'deny', note };
}

function allowing(
  words: string,
  { choices, ownWord, changed }: Offered,
): Verdict | 'allow-changed' | undefined {
  if (words === (ownWord ? ALLOW_DESTRUCTIVE : ALLOW)) {
    if (!choices.includes(changed ? 'modified' : 'once')) return undefined;
    return changed ? 'allow-changed' : { decision: 'once' };
  }
  const session = /^allow session(?: (\d{1,3}))?$/.exec(words);
  if (session === null || changed || ownWord || !choices.includes('session')) return undefined;
  if (session[1] === undefined) return { decision: 'session' };
  const length = Number(session[1]);
  return length >= 1 && length <= LONGEST_SESSION ? { decision: 'session', minutes: length } : undefined;
}

/** The lines that say what can be typed: what has an effect, and nothing else. */
export function prompt({ choices, isCut, ownWord, changed, canChange }: Offered): readonly string[] {
  const mayRun = choices.includes(changed ? 'modified' : 'once');
  const rows: readonly (readonly [string, string] | undefined)[] = [
    isCut ? ['v', 'show what was cut; nothing can be allowed before'] : undefined,
    mayRun && !isCut
      ? [ownWord ? ALLOW_DESTRUCTIVE : ALLOW, changed ? 'let it run as changed, once' : 'let it run, once']
      : undefined,
    choices.includes('session') && !isCut && !changed && !ownWord
      ? ['allow session', 'and the same for an hour; for 20 minutes: allow session 20']
      : undefined,
    choices.includes('modified') && canChange
      ? ['change', 'change the parameters in your editor first']
      : undefined,
    choices.includes('later') ? ['later', 'not now; it waits in `portalctl approvals list`'] : undefined,
    choices.includes('deny_session')
      ? ['deny session', "no, and no to the same until the caller's connection ends"]
      : undefined,
    ['note TEXT', 'no, with a note to the caller'],
    ['anything else', 'no; Enter alone too'],
  ];
  const offered = rows.filter((row) => row !== undefined);
  const width = Math.max(...offered.map(([word]) => word.length));
  return [
    'Type one of these words, then Enter:',
    ...offered.map(([word, does]) => `  ${word.padEnd(width)}  ${does}`),
  ];
}
