// SPDX-License-Identifier: Apache-2.0
import type { Draft } from './policy-draft.ts';
import type { Line } from './screen.ts';

/** Whether the broker would take a file, and where it would stop. */
export function draftLines(draft: Draft): readonly Line[] {
  if ('rules' in draft) {
    const { path, rules, locked } = draft;
    const lockedToo = locked.length === 0 ? '' : `, ${locked.length} locked`;
    return [[{ text: 'good', style: 'green' }, `     ${path}: ${count(rules.length)}${lockedToo}`]];
  }
  const { path, refused } = draft;
  const line = refused.line === undefined ? '' : `:${refused.line}`;
  return [
    [{ text: 'refused', style: 'red' }, `  ${path}${line}`],
    `         ${refused.reason}${refused.at === '' ? '' : ` (at ${refused.at})`}`,
  ];
}

/** The same for a program. */
export function draftReport(draft: Draft): object {
  if ('refused' in draft) return draft;
  return { path: draft.path, rules: draft.rules.length, locked: draft.locked };
}

function count(rules: number): string {
  return `${rules} ${rules === 1 ? 'rule' : 'rules'}`;
}
