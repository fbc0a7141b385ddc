// SPDX-License-Identifier: Apache-2.0
import { quote } from '../keys/error.ts';
import type { Classification } from './classify.ts';
import type { Rule } from './rule.ts';
import { isOfKind } from './rule-match.ts';
import { conflicts, outranksDenial, repeats, shadows } from './rule-pair.ts';
import type { AppOf } from './rule-reach.ts';

/**
 * `shadowed`: another rule decides wherever this one would. `duplicate`: another does the same wherever this one would.
 * `conflict`: an equally specific rule says otherwise where both match, and wins. `no-effect`: what it says can change
 * nothing, for a reason other than a rule. `unknown-capability`: there is no such capability, or none of the app, now.
 */
export type FindingKind = 'conflict' | 'shadowed' | 'duplicate' | 'no-effect' | 'unknown-capability';

export interface Finding {
  readonly kind: FindingKind;
  /** Id of the rule that it is about. */
  readonly rule: string;
  /** Id of the rule that stands in its way. */
  readonly by?: string;
  /** A target that both match. */
  readonly example?: string;
  /** For a person, one line. */
  readonly text: string;
}

/** A capability that there is, for what cannot be told from the rules alone. */
export interface KnownCapability {
  readonly capability: string;
  readonly appId: string | undefined;
  readonly classification: Classification;
  /** Whether its definition declares what it touches. */
  readonly hasTarget: boolean;
  /** Switched off by the administrator. */
  readonly locked: boolean;
}

/** All rules that hold, and the capabilities as far as anybody said. */
interface Ground {
  readonly rules: readonly Rule[];
  readonly known: ReadonlyMap<string, KnownCapability> | undefined;
  readonly appOf: AppOf;
}

/**
 * What is odd about rules: at most one finding of each kind for a rule. Every `shadowed`, `duplicate` and `no-effect` is
 * certain: without that rule nothing would be decided otherwise. Not every such rule is found.
 *
 * @param known all capabilities there are; without, nothing is said about them, nor about rules of apps beside rules of
 *   their capabilities
 */
export function lint(rules: readonly Rule[], known?: readonly KnownCapability[]): readonly Finding[] {
  const ground = groundOf(rules, known);
  return rules.flatMap((rule) => {
    const others = rules.filter((other) => other !== rule);
    return [...aboutCapabilities(rule, ground), ...besideOthers(rule, others, ground)];
  });
}

/** What is odd about a rule beside the others that hold, and about them beside it. */
export function lintOne(
  candidate: Rule,
  existing: readonly Rule[],
  known?: readonly KnownCapability[],
): readonly Finding[] {
  const ground = groundOf([...existing, candidate], known);
  return [
    ...aboutCapabilities(candidate, ground),
    ...besideOthers(candidate, existing, ground),
    ...existing.flatMap((rule) => besideOthers(rule, [candidate], ground)),
  ];
}

function groundOf(rules: readonly Rule[], capabilities: readonly KnownCapability[] | undefined): Ground {
  const known =
    capabilities === undefined ? undefined : new Map(capabilities.map((one) => [one.capability, one]));
  return { rules, known, appOf: (capability) => known?.get(capability)?.appId };
}

function besideOthers(rule: Rule, others: readonly Rule[], { rules, appOf }: Ground): readonly Finding[] {
  const shadowing = others.find((by) => shadows(by, rule, rules, appOf));
  if (shadowing !== undefined) {
    const text = `${quote(rule.id)} never comes to bear: ${quote(shadowing.id)} ${SAYS[shadowing.effect]} wherever it matches`;
    return [{ kind: 'shadowed', rule: rule.id, by: shadowing.id, text }];
  }
  const repeated = others.find((by) => repeats(by, rule, appOf) && !isFirstOfTwo(rule, by, rules, appOf));
  if (repeated !== undefined) {
    const text = `${quote(rule.id)} adds nothing to ${quote(repeated.id)}: it can go`;
    return [{ kind: 'duplicate', rule: rule.id, by: repeated.id, text }];
  }
  return inConflict(rule, others, appOf);
}

const SAYS = { ALLOW: 'allows', ASK: 'asks', DENY: 'denies' } as const;

/** Of two that repeat each other the later one is too many. */
function isFirstOfTwo(rule: Rule, by: Rule, rules: readonly Rule[], appOf: AppOf): boolean {
  return repeats(rule, by, appOf) && rules.indexOf(rule) < rules.indexOf(by);
}

/** The first conflict that the rule loses, and how many more there are. */
function inConflict(rule: Rule, others: readonly Rule[], appOf: AppOf): readonly Finding[] {
  const [first, ...more] = others.flatMap((by) => {
    const place = conflicts(by, rule, appOf);
    return place === undefined ? [] : [{ by, example: place.example }];
  });
  if (first === undefined) return [];
  const { by, example } = first;
  const text =
    `${quote(by.id)} is as specific as ${quote(rule.id)} and ${SAYS[by.effect]} where both match` +
    (example === undefined ? '' : `, for example at ${quote(example)}`) +
    (more.length === 0 ? '' : `; so it is with ${more.length} more`);
  return [
    { kind: 'conflict', rule: rule.id, by: by.id, ...(example === undefined ? {} : { example }), text },
  ];
}

/** What the capabilities that there are say of a rule; nothing of one that is about any. */
function aboutCapabilities(rule: Rule, { rules, known, appOf }: Ground): readonly Finding[] {
  const about = rule.capability ?? rule.app;
  if (known === undefined || about === undefined) return [];
  const capabilities = [...known.values()].filter(({ capability, appId }) =>
    rule.capability === undefined ? appId === rule.app : capability === rule.capability,
  );
  const finding = (kind: FindingKind, text: string): readonly Finding[] => [{ kind, rule: rule.id, text }];
  if (capabilities.length === 0) {
    return finding(
      'unknown-capability',
      `${quote(rule.id)} is about ${quote(about)}, of which nothing is known now`,
    );
  }
  const matched = capabilities.filter((one) => canMatch(rule, one));
  if (matched.length === 0) {
    return finding('no-effect', `${quote(rule.id)} never matches: ${quote(about)} is not declared so`);
  }
  if (matched.every(({ locked }) => locked)) {
    return finding('no-effect', `${quote(rule.id)} changes nothing: ${quote(about)} is switched off`);
  }
  const asksAnyhow = matched.every(
    ({ locked, classification }) => locked || classification.gate === 'confirm',
  );
  const rivals = rules.filter((other) => matched.some((one) => canMatch(other, one)));
  if (rule.effect === 'DENY' || !asksAnyhow || outranksDenial(rule, rivals, appOf)) return [];
  return finding(
    'no-effect',
    `${quote(rule.id)} changes nothing: a person confirms ${quote(about)} each time`,
  );
}

/**
 * Whether a rule, if it is about a capability at all, can match it. One that allows needs a target to match its pattern;
 * the others match what has none as well.
 */
export function canMatch(
  { action, target, effect }: Pick<Rule, 'action' | 'target' | 'effect'>,
  { classification, hasTarget }: KnownCapability,
): boolean {
  if (target !== undefined && effect === 'ALLOW' && !hasTarget) return false;
  return action === undefined || isOfKind(action, classification);
}
