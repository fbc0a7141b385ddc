// SPDX-License-Identifier: Apache-2.0
import type { Decision } from './decide.ts';
import { type OpenQuestion, type Outlook, outlook } from './outlook.ts';
import type { Principal } from './principal.ts';
import type { Facts } from './rule.ts';
import { applies } from './rule-match.ts';
import type { RuleSet } from './rule-set.ts';
import { type Circumstances, type Subject, standingQuestion } from './standing-question.ts';

/** One decision of the past, as far as it is on record: its target is not. */
export interface Recorded {
  readonly auditId: string;
  readonly principal: Pick<Principal, 'id' | 'name'>;
  readonly subject: Subject;
  /** Of the moment it was made; 0 to 23. */
  readonly localHour: number;
}

/** What comes of a decision. `confirm` asks as well, and no grant answers. */
export type Answer = 'allow' | 'ask' | 'confirm' | 'deny';

/** `depends`: on the target, which is not known. */
export type SimulationVerdict = 'same' | 'flip' | 'depends';

export interface Simulation {
  /** How many were looked at. */
  readonly decisions: number;
  readonly same: number;
  readonly flips: number;
  readonly depends: number;
  /** First what flips, then what depends, each in the order of the record. */
  readonly examples: readonly SimulationExample[];
}

export interface SimulationExample {
  readonly audit_id: string;
  readonly principal: string;
  readonly capability: string;
  /** Answers that are possible, joined by ` or `; so is `after`. */
  readonly before: string;
  readonly after: string;
  readonly verdict: SimulationVerdict;
}

interface Comparison {
  readonly before: string;
  readonly after: string;
  readonly verdict: SimulationVerdict;
}

/** What a decision comes to for whoever asked. */
export function answerOf({ effect, grantable }: Pick<Decision, 'effect' | 'grantable'>): Answer {
  return effect === 'ask' && !grantable ? 'confirm' : effect;
}

/**
 * Decides what was recorded under two sets of rules. `same` and `flip` hold for every target that could have been;
 * everything else depends on it. Nothing here could dispatch anything.
 *
 * @param most examples told of
 */
export function simulate(
  history: readonly Recorded[],
  current: RuleSet,
  candidate: RuleSet,
  circumstances: Omit<Circumstances, 'rules' | 'localHour'>,
  most: number,
): Simulation {
  const known = new Map<string, Comparison>();
  const compared = history.map(({ auditId, principal, subject, localHour }) => {
    const question = standingQuestion(principal, subject, { ...circumstances, localHour, rules: current });
    // Most of what is on record repeats itself, and each comparison goes through all rules.
    const key = JSON.stringify({ ...question, rules: undefined });
    const comparison = known.get(key) ?? compare(question, candidate);
    known.set(key, comparison);
    return {
      audit_id: auditId,
      principal: principal.id,
      capability: subject.capability.id,
      ...comparison,
    };
  });
  const those = (wanted: SimulationVerdict) => compared.filter(({ verdict }) => verdict === wanted);
  const flips = those('flip');
  const depends = those('depends');
  return {
    decisions: compared.length,
    same: compared.length - flips.length - depends.length,
    flips: flips.length,
    depends: depends.length,
    examples: [...flips, ...depends].slice(0, most),
  };
}

function compare(question: OpenQuestion, candidate: RuleSet): Comparison {
  const other = { ...question, rules: candidate };
  const before = possibleAnswers(outlook(question));
  const after = possibleAnswers(outlook(other));
  const verdict = bearing(question) === bearing(other) ? 'same' : verdictOf(before, after);
  return { before: before.join(' or '), after: after.join(' or '), verdict };
}

function verdictOf(before: readonly Answer[], after: readonly Answer[]): SimulationVerdict {
  if (!before.some((answer) => after.includes(answer))) return 'flip';
  return before.length === 1 && after.length === 1 ? 'same' : 'depends';
}

/** Whether a grant may answer hangs on everything but the target, so that it is alike wherever somebody is asked. */
function possibleAnswers({ possible, grantable }: Outlook): readonly Answer[] {
  return possible.map((effect) => answerOf({ effect, grantable }));
}

/** All that rules contribute to the decision for any target: where it is equal, so is every decision. */
function bearing(question: OpenQuestion): string {
  const { rules, capability } = question;
  const anywhere: Facts = { ...question, targets: 'undetermined' };
  const contributions = rules
    .candidates(anywhere)
    .filter((rule) => applies(rule, anywhere))
    .map(({ target, effect, specificity, source }) =>
      JSON.stringify([target?.text, effect, specificity, source]),
    );
  return JSON.stringify([rules.isLocked(capability.id), ...new Set(contributions.sort())]);
}
