// SPDX-License-Identifier: Apache-2.0
import type { Decider, Question } from './decide.ts';
import type { Bearing, Verdict } from './verdict.ts';

/** A step that could lead to another decision. For the operator; none of them is in an intelligence's hands. */
export type WouldChange =
  | 'resume'
  | 'unlock'
  | 'enable-external'
  /** The administrator changes a rule. */
  | 'root-rule'
  | 'unlock-session'
  | 'answer'
  | 'grant'
  /** Removing a rule that somebody else than the administrator made. */
  | 'remove-rule'
  | 'more-specific-allow'
  | 'sign-provider'
  | 'bind-provider'
  | 'nothing';

const STEPS: Readonly<Record<Exclude<Decider, 'rule'>, readonly WouldChange[]>> = {
  suspended: ['resume'],
  locked: ['unlock'],
  'not-enabled': ['enable-external'],
  'root-rule': ['root-rule'],
  'session-locked': ['unlock-session'],
  'denied-for-session': ['nothing'],
  person: [],
  'require-approval': ['answer'],
  gate: ['answer'],
  'provider-unsigned': ['answer', 'sign-provider'],
  'provider-unbound': ['answer', 'bind-provider'],
  'tier-2': ['answer'],
  'evaluation-failed': ['nothing'],
};

/** The most that a rule can be limited, and what of it is the target. */
const MOST_SPECIFIC = 16;
const TARGET = 2;

/** What could lead to another decision than this; nothing is needed where it runs. */
export function wouldChange(
  verdict: Verdict,
  question: Pick<Question, 'targets'>,
  { rootAsk }: Pick<Bearing, 'rootAsk'>,
): readonly WouldChange[] {
  const { effect, decider, grantable, rule } = verdict;
  if (effect === 'allow') return [];
  if (decider !== 'rule' && !grantable) return STEPS[decider];
  const steps: WouldChange[] = effect === 'ask' ? ['answer'] : [];
  if (grantable) steps.push('grant');
  if (rootAsk !== undefined && effect === 'ask') return [...steps, 'root-rule'];
  if (rule !== undefined) steps.push('remove-rule');
  if (canBeOutranked(rule?.specificity, question)) steps.push('more-specific-allow');
  return steps;
}

/** A rule that allows cannot name a target that nobody could determine, and of equals it is the strictest that decides. */
function canBeOutranked(specificity = 0, { targets }: Pick<Question, 'targets'>): boolean {
  return specificity < (targets === 'undetermined' ? MOST_SPECIFIC - TARGET : MOST_SPECIFIC);
}
