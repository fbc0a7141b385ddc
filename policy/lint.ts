// SPDX-License-Identifier: Apache-2.0
import { quote } from '../keys/error.ts';
import type { Classification } from './classify.ts';
import type { Rule } from './rule.ts';
import { isOfKind } from './rule-match.ts';
import { conflicts, outranksDenial, repeats, shadows } from './rule-pair.ts';
import type { Ground, Overlap } from './rule-reach.ts';
import { TargetPairs } from './target-pairs.ts';

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
interface LintGround extends Ground {
  readonly rules: readonly Rule[];
  readonly known: ReadonlyMap<string, KnownCapability> | undefined;
}

/** For comparing patterns, in each way: for all rules that takes seconds at most, for a new one hundredths of a second. */
const EFFORT = { amongAll: 3_000_000, withOne: 60_000 } as const;

/**
 * What is odd about rules: at most one finding of each kind for a rule. Every `shadowed`, `duplicate` and `no-effect` is
 * certain: without that rule nothing would be decided otherwise. Not every such rule is found.
 *
 * @param known all capabilities there are; without, nothing is said about them, nor about rules of apps beside rules of
 *   their capabilities
 */
export function lint(rules: readonly Rule[], known?: readonly KnownCapability[]): readonly Finding[] {
  const ground = groundOf(rules, known, EFFORT.amongAll);
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
  const ground = groundOf([...existing, candidate], known, EFFORT.withOne);
  return [
    ...aboutCapabilities(candidate, ground),
    ...besideOthers(candidate, existing, ground),
    ...existing.flatMap((rule) => besideOthers(rule, [candidate], ground)),
  ];
}

function groundOf(
  rules: readonly Rule[],
  capabilities: readonly KnownCapability[] | undefined,
  most: number,
): LintGround {
  const known =
    capabilities === undefined ? undefined : new Map(capabilities.map((one) => [one.capability, one]));
  return {
    rules,
    known,
    appOf: (capability) => known?.get(capability)?.appId,
    targets: new TargetPairs(most),
  };
}

function besideOthers(rule: Rule, others: readonly Rule[], ground: LintGround): readonly Finding[] {
  const shadowing = others.find((by) => shadows(by, rule, ground.rules, ground));
  if (shadowing !== undefined) {
    const text = `${quote(rule.id)} never comes to bear: ${quote(shadowing.id)} ${SAYS[shadowing.effect]} wherever it matches`;
    return [{ kind: 'shadowed', rule: rule.id, by: shadowing.id, text }];
  }
  const repeated = others.find((by) => repeats(by, rule, ground) && !isFirstOfTwo(rule, by, ground));
  if (repeated !== undefined) {
    const text = `${quote(rule.id)} adds nothing to ${quote(repeated.id)}: it can go`;
    return [{ kind: 'duplicate', rule: rule.id, by: repeated.id, text }];
  }
  return inConflict(rule, others, ground);
}

const SAYS = { ALLOW: 'allows', ASK: 'asks', DENY: 'denies' } as const;

/** Of two that repeat each other the later one is too many. */
function isFirstOfTwo(rule: Rule, by: Rule, ground: LintGround): boolean {
  const { rules } = ground;
  return repeats(rule, by, ground) && rules.indexOf(rule) < rules.indexOf(by);
}

/** The first conflict that the rule loses. */
function inConflict(rule: Rule, others: readonly Rule[], ground: LintGround): readonly Finding[] {
  for (const by of others) {
    const place = conflicts(by, rule, ground);
    if (place === undefined || !canMeet(rule, by, ground)) continue;
    const told = exampleOf(place);
    const text = `${quote(by.id)} is as specific as ${quote(rule.id)} and ${SAYS[by.effect]} where both match${told.words}`;
    return [{ kind: 'conflict', rule: rule.id, by: by.id, ...told.field, text }];
  }
  return [];
}

/** Whether two rules can match a capability that there is, where either names some and anybody said which there are. */
function canMeet(a: Rule, b: Rule, { known }: LintGround): boolean {
  const namesNone = [a, b].every(({ capability, app }) => capability === undefined && app === undefined);
  if (known === undefined || namesNone) return true;
  return [...known.values()].some((one) => [a, b].every((rule) => isAbout(rule, one) && canMatch(rule, one)));
}

/** A target that two patterns match, where there is one, as a finding tells it. */
export function exampleOf({ example }: Overlap): {
  readonly field: Pick<Finding, 'example'>;
  readonly words: string;
} {
  if (example === undefined) return { field: {}, words: '' };
  return { field: { example }, words: `, for example at ${quote(example)}` };
}

/** What the capabilities that there are say of a rule; nothing of one that is about any. */
function aboutCapabilities(rule: Rule, ground: LintGround): readonly Finding[] {
  const { rules, known } = ground;
  const about = rule.capability ?? rule.app;
  if (known === undefined || about === undefined) return [];
  const capabilities = [...known.values()].filter((one) => isAbout(rule, one));
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
  if (rule.effect === 'DENY' || !asksAnyhow || outranksDenial(rule, rivals, ground)) return [];
  return finding(
    'no-effect',
    `${quote(rule.id)} changes nothing: a person confirms ${quote(about)} each time`,
  );
}

function isAbout({ capability, app }: Pick<Rule, 'capability' | 'app'>, one: KnownCapability): boolean {
  if (capability !== undefined) return capability === one.capability;
  return app === undefined || app === one.appId;
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
