// SPDX-License-Identifier: Apache-2.0
import type { Facts, Rule, RuleEffect, RuleSource } from './rule.ts';
import { applies, reachesTarget } from './rule-match.ts';
import type { RuleSet } from './rule-set.ts';
import type { Target } from './target.ts';

/** What the rules say about one invocation. */
export interface Ruling {
  /** Every rule that is about one of the targets at least, in the order in which they decide. */
  readonly matched: readonly Rule[];
  /** The rule that wins at the target where the strictest thing wins; undefined where no rule is about that target. */
  readonly winner: Rule | undefined;
  /** The first of the administrator's rules that deny, and of those that ask: nothing outranks them. */
  readonly rootDeny: Rule | undefined;
  readonly rootAsk: Rule | undefined;
}

const STRICTNESS: Readonly<Record<RuleEffect, number>> = { ALLOW: 0, ASK: 2, DENY: 3 };
/** Where no rule says anything the capability's own gate does: never more than an ALLOW gives, never as little as an ASK. */
const SILENCE = 1;
const SOURCES: Readonly<Record<RuleSource, number>> = { root: 0, person: 1, user: 2 };

/**
 * The order in which rules decide: the most specific first, then the strictest. Source and id only settle which of two
 * rules that say the same is named, so that the order in which rules were read never shows.
 */
export function compareRules(a: Rule, b: Rule): number {
  return (
    b.specificity - a.specificity ||
    STRICTNESS[b.effect] - STRICTNESS[a.effect] ||
    SOURCES[a.source] - SOURCES[b.source] ||
    (a.id < b.id ? -1 : 1)
  );
}

/** Holds the rules against each target by itself; the strictest result is that of all. */
export function rulingOf(facts: Facts, rules: RuleSet): Ruling {
  const candidates = rules.candidates(facts).filter((rule) => applies(rule, facts));
  const atEach = targetsOf(facts).map((target) =>
    candidates.filter((rule) => reachesTarget(rule, target)).sort(compareRules),
  );
  const matched = [...new Set(atEach.flat())].sort(compareRules);
  return {
    matched,
    winner: atEach.map(winnerOfRanked).reduce(stricterWinner),
    rootDeny: matched.find(({ source, effect }) => source === 'root' && effect === 'DENY'),
    rootAsk: matched.find(({ source, effect }) => source === 'root' && effect === 'ASK'),
  };
}

function targetsOf({ targets }: Facts): readonly (Target | 'undetermined')[] {
  return targets === 'undetermined' || targets.length === 0 ? ['undetermined'] : targets;
}

function winnerOfRanked(ranked: readonly Rule[]): Rule | undefined {
  return winnerOf(
    ranked[0],
    ranked.find(({ source }) => source !== 'user'),
  );
}

/**
 * The first rule wins, unless it is the user's and others say something stricter: any program of the user can write the
 * user's files, so that what stands there must not get somebody else's denial out of the way.
 */
export function winnerOf(first: Rule | undefined, firstOfOthers: Rule | undefined): Rule | undefined {
  return first?.source === 'user' ? stricterWinner(first, firstOfOthers) : first;
}

function stricterWinner(one: Rule | undefined, other: Rule | undefined): Rule | undefined {
  const difference = strictness(other) - strictness(one);
  if (difference !== 0) return difference > 0 ? other : one;
  return one !== undefined && other !== undefined && compareRules(other, one) < 0 ? other : one;
}

function strictness(winner: Rule | undefined): number {
  return winner === undefined ? SILENCE : STRICTNESS[winner.effect];
}
