// SPDX-License-Identifier: Apache-2.0
import type { Verdict } from './row.ts';

export type Answer = Verdict | 'show-all' | 'show-all-first';

export interface Offered {
  /** Whether `once` has an effect here. */
  readonly allow: boolean;
  /** Whether something on the screen is cut. */
  readonly isCut: boolean;
}

/**
 * What a typed line means. Only the whole word `allow` lets anything run; whatever is not understood denies, because a
 * question that is asked again can be answered by accident.
 */
export function interpret(line: string, offered: Offered): Answer {
  const words = line.trim();
  if (words === 'v' && offered.isCut) return 'show-all';
  if (words === 'allow' && offered.allow) return offered.isCut ? 'show-all-first' : { decision: 'once' };
  const note = /^note\s+(\S.*)$/.exec(words)?.[1];
  return note === undefined ? { decision: 'deny' } : { decision: 'deny', note };
}

/** The line that says what can be typed. */
export function prompt({ allow, isCut }: Offered): string {
  const choices = [
    ...(isCut ? ['`v` to show what was cut'] : []),
    ...(allow && !isCut ? ['`allow` to let it run once'] : []),
    '`note TEXT` to deny with a note to the caller',
    'Enter or anything else to deny',
  ];
  return `Type ${choices.join(', ')}.`;
}
