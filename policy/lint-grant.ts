// SPDX-License-Identifier: Apache-2.0
import { quote } from '../keys/error.ts';
import type { WantedGrant } from './grant.ts';
import { canMatch, type Finding, type KnownCapability } from './lint.ts';
import type { Rule } from './rule.ts';
import { type Reach, reachIncludes, reachOverlap } from './rule-reach.ts';

/**
 * What rules that deny leave of a grant, which outranks none. `shadowed`: nothing, since the administrator denies all of
 * it. `conflict`: not what a rule denies, unless a more specific one lifts that; told of the first, with a count.
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
  const appOf = (): string | undefined => known.appId;
  const denials = rules.filter((rule) => rule.effect === 'DENY' && canMatch(rule, known));
  const whole = denials.find(
    (rule) => rule.source === 'root' && reachIncludes({ ...rule, action: undefined }, grant, appOf),
  );
  if (whole !== undefined) {
    const text = `it never answers: ${quote(whole.id)} denies all of it`;
    return [{ kind: 'shadowed', rule: id, by: whole.id, text }];
  }
  const [first, ...more] = denials.flatMap((rule) => {
    const place = reachOverlap(rule, grant, appOf);
    return place === undefined ? [] : [{ by: rule.id, example: place.example }];
  });
  if (first === undefined) return [];
  // Without a target of its own it is for what has none, which every pattern that denies matches.
  const example = target === undefined ? undefined : first.example;
  const text =
    `it does not answer where ${quote(first.by)} denies` +
    (example === undefined ? '' : `, for example at ${quote(example)}`) +
    (more.length === 0 ? '' : `; so it is with ${more.length} more`);
  return [{ kind: 'conflict', rule: id, by: first.by, ...(example === undefined ? {} : { example }), text }];
}
