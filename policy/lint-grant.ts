// SPDX-License-Identifier: Apache-2.0
import { quote } from '../keys/error.ts';
import type { WantedGrant } from './grant.ts';
import { canMatch, type Finding, type KnownCapability } from './lint.ts';
import type { Rule } from './rule.ts';
import { type Reach, reachIncludes, reachOverlap } from './rule-reach.ts';

export type GrantFinding = Omit<Finding, 'rule'>;

/**
 * What a grant cannot do: it answers where policy asks, and nowhere else. `shadowed` and `no-effect`: it never answers;
 * `conflict`: a rule denies some of it, unless a more specific rule says otherwise. One finding of each rule that denies.
 *
 * @param known as for `lint`
 */
export function lintGrant(
  wanted: Pick<WantedGrant, 'principal' | 'capability' | 'target' | 'access'>,
  rules: readonly Rule[],
  known?: readonly KnownCapability[],
): readonly GrantFinding[] {
  const capability = known?.find((one) => one.capability === wanted.capability);
  if (known !== undefined && capability === undefined) {
    return [{ kind: 'unknown-capability', text: `nothing is known of ${quote(wanted.capability)} now` }];
  }
  const idle = capability === undefined ? undefined : whyIdle(wanted, capability);
  if (idle !== undefined) return [{ kind: 'no-effect', text: `it never answers: ${idle}` }];
  return rules
    .filter((rule) => rule.effect === 'DENY' && (capability === undefined || canMatch(rule, capability)))
    .flatMap((rule) => deniedBy(rule, wanted, capability));
}

function whyIdle(
  { access }: Pick<WantedGrant, 'access'>,
  { capability, classification, locked }: KnownCapability,
): string | undefined {
  if (locked) return `${quote(capability)} is switched off`;
  if (classification.gate === 'confirm') return `a person confirms ${quote(capability)} each time`;
  const isShort = access === 'read' && classification.access === 'write';
  return isShort ? `${quote(capability)} writes, and it covers reading` : undefined;
}

function deniedBy(
  rule: Rule,
  { principal: scope, capability, target }: Pick<WantedGrant, 'principal' | 'capability' | 'target'>,
  known: KnownCapability | undefined,
): readonly GrantFinding[] {
  const reach: Reach = { scope, capability, target, app: undefined, action: undefined, hours: undefined };
  const appOf = (): string | undefined => known?.appId;
  // Of a capability that is known it was seen above that the rule is about such actions.
  const denial = known === undefined ? rule : { ...rule, action: undefined };
  if (rule.source === 'root' && reachIncludes(denial, reach, appOf)) {
    return [{ kind: 'shadowed', by: rule.id, text: `it never answers: ${quote(rule.id)} denies all of it` }];
  }
  const place = reachOverlap(denial, reach, appOf);
  if (place === undefined) return [];
  // Without a target of its own it is for what has none, which every pattern that denies matches.
  const example = target === undefined ? undefined : place.example;
  const where = example === undefined ? '' : `, for example at ${quote(example)}`;
  const text = `where ${quote(rule.id)} denies it does not answer${where}`;
  return [{ kind: 'conflict', by: rule.id, ...(example === undefined ? {} : { example }), text }];
}
