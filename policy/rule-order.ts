// SPDX-License-Identifier: Apache-2.0
import type { Rule, RuleEffect, RuleSource } from './rule.ts';

export const STRICTNESS: Readonly<Record<RuleEffect, number>> = { ALLOW: 0, ASK: 2, DENY: 3 };
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
