// SPDX-License-Identifier: Apache-2.0
import { type Gate, stricter } from './classify.ts';
import type { Decider, Decision, Effect, Question } from './decide.ts';
import { isHour } from './hours.ts';
import type { Rule } from './rule.ts';
import { applies } from './rule-match.ts';
import { compareRules } from './rule-order.ts';
import { rulingOf, winnerOf } from './ruling.ts';
import { type Bearing, FAILED, judge, type Verdict } from './verdict.ts';

/** A question before its target is known. */
export interface OpenQuestion extends Omit<Question, 'targets'> {
  /** Whether the definition declares targets; where it declares none, there is nothing to wait for. */
  readonly declaresTargets: boolean;
}

/** What can be said of a decision whose target is not known. Never more certain than the rules are. */
export interface Outlook {
  /** The strictest effect that is possible. */
  readonly effect: Effect;
  /** The strictest gate that is possible. */
  readonly gate: Gate;
  /** Whether effect or gate may differ from target to target. */
  readonly dependsOnTarget: boolean;
  /** Every effect that a target could lead to, the strictest first. */
  readonly possible: readonly Effect[];
  /** Whether it may ask, and a grant may answer wherever it does. */
  readonly grantable: boolean;
  /** What leads, or could lead, to the strictest effect. */
  readonly decider: Decider;
  /** The rule that does, where one does. */
  readonly rule: Decision['rule'];
}

/** Decides as far as that can be done without knowing the target: every decision that may come is among what is said. Never throws. */
export function outlook(question: OpenQuestion): Outlook {
  try {
    return summary(verdictsOn(question));
  } catch {
    return summary([FAILED]);
  }
}

function verdictsOn(question: OpenQuestion): readonly Verdict[] {
  const asked: Question = { ...question, targets: 'undetermined' };
  if (!isHour(question.localHour)) return [FAILED];
  const undetermined = judge(asked, rulingOf(asked, asked.rules));
  if (!question.declaresTargets) return [undetermined];
  return [undetermined, ...bearingsOn(asked).map((bearing) => judge(asked, bearing))];
}

/**
 * Everything that rules could say, taking each rule with a target as one that may match or not. That counts too much as
 * possible (two targets that exclude each other) and never too little.
 */
function bearingsOn(question: Question): readonly Bearing[] {
  const rules = question.rules
    .candidates(question)
    .filter((rule) => applies(rule, question))
    .sort(compareRules);
  const roots = rules.filter(({ source }) => source === 'root');
  const others = possibleFirst(rules.filter(({ source }) => source !== 'user'));
  const winners = possibleFirst(rules).flatMap((first) => others.map((other) => winnerOf(first, other)));
  const denials = possibleFirst(roots.filter(({ effect }) => effect === 'DENY'));
  const askings = possibleFirst(roots.filter(({ effect }) => effect === 'ASK'));
  return [...new Set(winners)].flatMap((winner) =>
    denials.flatMap((rootDeny) => askings.map((rootAsk) => ({ winner, rootDeny, rootAsk }))),
  );
}

/**
 * Which of these may be the first that matches: those with a target up to one that has none. Of those that say the same
 * the last will do, also where a user's rule gives way: whatever others say before it is a possibility of its own.
 */
function possibleFirst(rules: readonly Rule[]): readonly (Rule | undefined)[] {
  const certain = rules.findIndex(({ target }) => target === undefined);
  const candidates = certain < 0 ? [...rules, undefined] : rules.slice(0, certain + 1);
  return [...new Map(candidates.map((rule) => [rule?.effect, rule])).values()];
}

const STRICTEST_FIRST: readonly Effect[] = ['deny', 'ask', 'allow'];

function rank({ effect }: Verdict): number {
  return STRICTEST_FIRST.indexOf(effect);
}

function summary(verdicts: readonly Verdict[]): Outlook {
  const effects = STRICTEST_FIRST.filter((effect) => verdicts.some((verdict) => verdict.effect === effect));
  const strictest = verdicts.reduce((one, other) => (rank(other) < rank(one) ? other : one));
  const forms = new Set(verdicts.map(({ effect, gate }) => `${effect} ${gate}`));
  return {
    effect: strictest.effect,
    gate: verdicts.map(({ gate }) => gate).reduce(stricter),
    dependsOnTarget: forms.size > 1,
    possible: effects,
    // What keeps a grant from answering is no rule, so that it is so for every target.
    grantable: verdicts.some(({ grantable }) => grantable),
    decider: strictest.decider,
    rule: strictest.rule && { id: strictest.rule.id, specificity: strictest.rule.specificity },
  };
}
