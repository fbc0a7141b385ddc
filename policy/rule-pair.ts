// SPDX-License-Identifier: Apache-2.0
import type { Rule, RuleEffect } from './rule.ts';
import { type Ground, isApartFrom, type Overlap, reachIncludes, reachOverlap } from './rule-reach.ts';

const STRICTNESS: readonly RuleEffect[] = ['ALLOW', 'ASK', 'DENY'];

function isStricter(a: Rule, b: Rule): boolean {
  return STRICTNESS.indexOf(a.effect) > STRICTNESS.indexOf(b.effect);
}

function isRoots(rule: Rule, effect: RuleEffect): boolean {
  return rule.source === 'root' && rule.effect === effect;
}

/** What holds whatever more specific rules say: root's denials, and root's asking as the least. */
function isBaseline(rule: Rule): boolean {
  return rule.source === 'root' && rule.effect !== 'ALLOW';
}

/**
 * Whether `by` is no match for `rule` at places where neither is the most specific: root's baseline outlives more specific
 * rules, and the user's files get nobody else's rules out of the way.
 */
function holdsLess(by: Rule, rule: Rule): boolean {
  return (isBaseline(rule) && !isBaseline(by)) || (by.source === 'user' && rule.source !== 'user');
}

/**
 * Whether `rule` can never come to bear, since `by` is stricter wherever it matches. Certain where true.
 *
 * Root's asking outdoes an ALLOW, unless that one gets something else than an ALLOW out of the way.
 */
export function shadows(by: Rule, rule: Rule, rules: readonly Rule[], ground: Ground): boolean {
  if (!isStricter(by, rule) || !reachIncludes(by, rule, ground)) return false;
  if (isRoots(by, 'DENY')) return true;
  if (isRoots(by, 'ASK') && !outranksDenial(rule, rules, ground)) return true;
  return by.specificity === rule.specificity && !holdsLess(by, rule);
}

/** Whether `by` does the same wherever `rule` matches, so that nothing would change without it. Certain where true. */
export function repeats(by: Rule, rule: Rule, ground: Ground): boolean {
  if (by.effect !== rule.effect || !reachIncludes(by, rule, ground)) return false;
  return isRoots(by, 'DENY') || (by.specificity === rule.specificity && !holdsLess(by, rule));
}

/** Where `by` wins over an equally specific `rule` that says otherwise. */
export function conflicts(by: Rule, rule: Rule, ground: Ground): Overlap | undefined {
  if (by.specificity !== rule.specificity || !isStricter(by, rule)) return undefined;
  return reachOverlap(by, rule, ground);
}

/**
 * Whether a rule that only allows or asks may get a less specific denial out of the way: then it has an effect even where
 * a person is asked anyhow. Root's denials do not give way.
 */
export function outranksDenial(rule: Rule, rules: readonly Rule[], ground: Ground): boolean {
  return rules.some(
    (other) =>
      other.effect === 'DENY' &&
      other.source !== 'root' &&
      other.specificity < rule.specificity &&
      !isApartFrom(other, rule, ground),
  );
}
