// SPDX-License-Identifier: Apache-2.0
import type { Classification } from './classify.ts';
import { PolicyError } from './error.ts';
import type { Glob } from './glob.ts';
import type { Hours } from './hours.ts';
import type { PolicyLimits } from './limits.ts';
import type { Principal } from './principal.ts';
import type { Targets } from './target.ts';

export const EFFECTS = ['ALLOW', 'ASK', 'DENY'] as const;
export type RuleEffect = (typeof EFFECTS)[number];

/** Kinds of action a rule can be limited to: what it does here, or where it reaches. */
export const ACTIONS = ['read', 'write', 'destructive', 'external', 'system'] as const;
export type ActionKind = (typeof ACTIONS)[number];

/** `root`: files of the administrator; `person`: made by the person at the desk; `user`: the user's files, which only tighten. */
export type RuleSource = 'root' | 'person' | 'user';

/** A rule that was read. What is undefined is not limited. */
export interface Rule {
  readonly id: string;
  readonly source: RuleSource;
  /** The id or the name of one principal. */
  readonly scope: string | undefined;
  readonly capability: string | undefined;
  /** Instead of a capability: every capability of this app. */
  readonly app: string | undefined;
  readonly target: Glob | undefined;
  readonly action: ActionKind | undefined;
  readonly effect: RuleEffect;
  readonly hours: Hours | undefined;
  /** Shown to the operator. */
  readonly reason: string;
  /** Scope 8, capability or app 4, target 2, action 1, hours 1. */
  readonly specificity: number;
}

/** What a rule is held against. */
export interface Facts {
  readonly principal: Pick<Principal, 'id' | 'name'>;
  readonly capability: { readonly id: string; readonly appId: string | undefined };
  readonly classification: Pick<Classification, 'sideEffects' | 'access' | 'network'>;
  readonly targets: Targets;
  /** 0 to 23. */
  readonly localHour: number;
}

/**
 * Reads the JSON form of a rule.
 *
 * @throws PolicyError `RuleInvalid` with the JSON pointer of what is wrong, also for a rule that could never match, or one
 *   that allows where that may not be
 */
export function parseRule(
  value: unknown,
  as: { readonly id: string; readonly source: RuleSource; readonly mayAllow: boolean },
  limits: PolicyLimits,
): Rule {
  void limits;
  throw new PolicyError('RuleInvalid', `${as.id} ${value}`);
}

/** The JSON form again, with id, source and specificity. */
export function ruleJson(rule: Rule): Record<string, unknown> {
  return { id: rule.id };
}
