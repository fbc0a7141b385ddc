// SPDX-License-Identifier: Apache-2.0
import type { Classification, Gate, Profile } from './classify.ts';
import { isHour } from './hours.ts';
import type { Facts, Rule } from './rule.ts';
import type { RuleSet } from './rule-set.ts';
import { rulingOf } from './ruling.ts';
import { FAILED, judge, type Verdict } from './verdict.ts';
import { type WouldChange, wouldChange } from './would-change.ts';

/** What is known about the process behind a capability: two facts, and lacking one does not excuse lacking the other. */
export interface ProviderStanding {
  /** More than its own word says that it is the app. */
  readonly bound: boolean;
  /** Its manifest is signed by a trusted key; otherwise it was accepted for development. */
  readonly signed: boolean;
}

/** Everything the decision depends on. No clock, no files, no bus: equal input gives an equal decision. */
export interface Question extends Facts {
  readonly capability: Facts['capability'] & {
    /** 1: declared by its app; 2: derived without the app's help; or the broker's own. */
    readonly tier: 1 | 2 | 'builtin';
  };
  readonly classification: Classification;
  readonly rules: RuleSet;
  readonly profile: Profile;
  readonly provider: ProviderStanding;
  /** The caller wants a person to look at it, whatever the policy says. */
  readonly requireApproval: boolean;
  /** Switched off by the administrator's settings: always denied. The rules can lock as well. */
  readonly locked: boolean;
  /** False for the broker's own capabilities that reach outside, until the administrator enables them. */
  readonly enabled: boolean;
  /** The person at the desk takes back what was done: they are not asked whether they meant it. */
  readonly takenBackByPerson: boolean;
  /** The person stopped this principal, or all of them. */
  readonly suspended: boolean;
  /** Nobody can be asked, and only what is harmless or listed runs. */
  readonly sessionLocked: boolean;
  /** Ids of capabilities that the administrator lists for that. */
  readonly allowedWhileLocked: readonly string[];
  /** The person said no to this for as long as the session lasts. */
  readonly deniedForSession: boolean;
}

export type Effect = 'allow' | 'ask' | 'deny';

/** What decided: for the operator and the record, never for an intelligence. */
export type Decider =
  | 'suspended'
  | 'locked'
  | 'not-enabled'
  /** A rule of the administrator's that denies, which nothing outranks. */
  | 'root-rule'
  | 'session-locked'
  | 'denied-for-session'
  | 'person'
  /** The most specific rule, or one of the administrator's that asks. */
  | 'rule'
  | 'require-approval'
  | 'provider-unsigned'
  | 'provider-unbound'
  | 'tier-2'
  | 'gate'
  | 'evaluation-failed';

export interface Decision {
  readonly effect: Effect;
  readonly gate: Gate;
  readonly decider: Decider;
  /** Whether a grant may answer in the person's place. True only of a decision to ask. */
  readonly grantable: boolean;
  /** The rule that decided, where one did. */
  readonly rule: { readonly id: string; readonly specificity: number } | undefined;
  /** Ids of the rules that matched, the decider first, then as they rank; at most 20. */
  readonly considered: readonly string[];
  /** How many rules matched in all. */
  readonly consideredCount: number;
  readonly wouldChange: readonly WouldChange[];
}

/** Rules named in a decision. */
const MOST_CONSIDERED = 20;

/**
 * Decides one intent. Denying beats every way of allowing; a gate can be raised here and never lowered.
 * Never throws: an error inside the evaluation denies.
 */
export function decide(question: Question): Decision {
  try {
    return evaluate(question);
  } catch {
    return decision(FAILED, ['nothing'], []);
  }
}

function evaluate(question: Question): Decision {
  // No window of hours would hold such an hour, so that a rule that denies would be passed over.
  if (!isHour(question.localHour)) return decision(FAILED, ['nothing'], []);
  const ruling = rulingOf(question, question.rules);
  const verdict = judge(question, ruling);
  return decision(verdict, wouldChange(verdict, question, ruling), ruling.matched);
}

function decision(verdict: Verdict, changes: readonly WouldChange[], matched: readonly Rule[]): Decision {
  const { rule } = verdict;
  const inOrder = rule === undefined ? matched : [rule, ...matched.filter((one) => one !== rule)];
  return {
    ...verdict,
    rule: rule === undefined ? undefined : { id: rule.id, specificity: rule.specificity },
    considered: inOrder.slice(0, MOST_CONSIDERED).map(({ id }) => id),
    consideredCount: matched.length,
    wouldChange: changes,
  };
}
