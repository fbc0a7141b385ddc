// SPDX-License-Identifier: Apache-2.0
import type { Facts, Rule } from './rule.ts';
import { applies, reachesTarget } from './rule-match.ts';
import { compareRules, STRICTNESS } from './rule-order.ts';
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

/** Where no rule says anything the capability's own gate does: never more than an ALLOW gives, never as little as an ASK. */
const SILENCE = 1;
/** Holds the rules against each target by itself; the strictest result is that of all. */
export function rulingOf(facts: Facts, rules: RuleSet): Ruling {
  const candidates = rules.candidates(facts).filter((rule) => applies(rule, facts));
  const byRank = (a: Rule, b: Rule) => rules.rankOf(a) - rules.rankOf(b);
  const atEach = targetsOf(facts).map((target) =>
    candidates.filter((rule) => reachesTarget(rule, target)).sort(byRank),
  );
  const [only, ...others] = atEach;
  const matched = only !== undefined && others.length === 0 ? only : [...new Set(atEach.flat())].sort(byRank);
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
