// SPDX-License-Identifier: Apache-2.0
import { quote } from '../keys/error.ts';
import type { WantedGrant } from './grant.ts';
import { canMatch, exampleOf, type Finding, type KnownCapability } from './lint.ts';
import type { Rule } from './rule.ts';
import { type Ground, type Reach, reachIncludes, reachOverlap } from './rule-reach.ts';
import { TargetPairs } from './target-pairs.ts';

/** For comparing patterns, in each way: hundredths of a second at most. */
const EFFORT = 60_000;

/**
 * What rules that deny leave of a grant, which outranks none. `shadowed`: nothing, since the administrator denies all of
 * it. `conflict`: not what a rule denies, unless a more specific one lifts that; told of the first.
 *
 * @param id of the grant, for the findings
 */
export function lintGrant(
  id: string,
  { principal, capability, target }: Pick<WantedGrant, 'principal' | 'capability' | 'target'>,
  rules: readonly Rule[],
  known: KnownCapability,
): readonly Finding[] {
  const grant: Reach = {
    scope: principal,
    capability,
    target,
    app: undefined,
    action: undefined,
    hours: undefined,
  };
  const ground: Ground = { appOf: () => known.appId, targets: new TargetPairs(EFFORT) };
  const denials = rules.filter((rule) => rule.effect === 'DENY' && canMatch(rule, known));
  const whole = denials.find(
    (rule) => rule.source === 'root' && reachIncludes({ ...rule, action: undefined }, grant, ground),
  );
  if (whole !== undefined) {
    const text = `it never answers: ${quote(whole.id)} denies all of it`;
    return [{ kind: 'shadowed', rule: id, by: whole.id, text }];
  }
  for (const { id: by, ...rule } of denials) {
    const place = reachOverlap(rule, grant, ground);
    if (place === undefined) continue;
    // Without a target of its own it is for what has none, which every pattern that denies matches.
    const told = exampleOf(target === undefined ? { example: undefined } : place);
    const text = `it does not answer where ${quote(by)} denies${told.words}`;
    return [{ kind: 'conflict', rule: id, by, ...told.field, text }];
  }
  return [];
}
