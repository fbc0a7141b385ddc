// SPDX-License-Identifier: Apache-2.0
import type { Capability, SideEffects } from '../../manifests/capability.ts';
import { parseBuiltinId } from '../../manifests/id.ts';
import { classify } from '../../policy/classify.ts';
import type { Principal } from '../../policy/principal.ts';
import type { Rule } from '../../policy/rule.ts';
import { EMPTY_RULES } from '../../policy/rule-set.ts';
import type { Circumstances, Subject } from '../../policy/standing-question.ts';
import { declaring } from './capabilities.ts';

type Axes = Partial<Omit<Rule, 'specificity'>>;

/** A rule that denies everything, with some fields exchanged and the specificity that follows from them. */
export function rule(id: string, axes: Axes = {}): Rule {
  const { scope, capability, app, target, action, hours } = axes;
  const weigh = (axis: unknown, weight: number): number => (axis === undefined ? 0 : weight);
  return {
    id,
    source: 'person',
    effect: 'DENY',
    reason: 'because',
    scope,
    capability,
    app,
    target,
    action,
    hours,
    ...axes,
    specificity:
      weigh(scope, 8) + weigh(capability ?? app, 4) + weigh(target, 2) + weigh(action, 1) + weigh(hours, 1),
  };
}

export const principal = (id: string, more: Partial<Principal> = {}): Principal => ({
  id,
  name: id,
  level: 'user',
  categories: undefined,
  ...more,
});

interface Named {
  readonly id: string;
  readonly version?: Capability['version'];
  readonly hasTarget?: boolean;
}

/** A capability with its class under the standard profile, of a bound and signed provider. */
export function subject(
  { id, version, hasTarget = true }: Named,
  sideEffects: SideEffects = 'write',
  more: Partial<Subject> = {},
): Subject {
  const capability: Capability = {
    ...declaring({ sideEffects }),
    id: parseBuiltinId(id),
    ...(version === undefined ? {} : { version }),
    targets: hasTarget ? [{ parameter: '/path', kind: 'path' }] : [],
  };
  return {
    capability,
    appId: 'org.example.App',
    tier: 1,
    classification: classify(capability, 'standard'),
    provider: { bound: true, signed: true },
    locked: false,
    enabled: true,
    ...more,
  };
}

export const circumstances = (more: Partial<Circumstances> = {}): Circumstances => ({
  rules: EMPTY_RULES,
  profile: 'standard',
  localHour: 9,
  sessionLocked: false,
  allowedWhileLocked: [],
  isSuspended: () => false,
  ...more,
});
