// SPDX-License-Identifier: Apache-2.0
import { matchesGlob } from './glob.ts';
import { within } from './hours.ts';
import type { ActionKind, Facts, Rule } from './rule.ts';
import type { Target } from './target.ts';

/** Whether a rule is about this, all but its target. */
export function applies(rule: Rule, facts: Facts): boolean {
  const { scope, capability, app, action, hours } = rule;
  return (
    (scope === undefined || scope === facts.principal.name || scope === facts.principal.id) &&
    (capability === undefined || capability === facts.capability.id) &&
    (app === undefined || app === facts.capability.appId) &&
    (action === undefined || isOfKind(action, facts.classification)) &&
    (hours === undefined || within(hours, facts.localHour))
  );
}

export function isOfKind(
  action: ActionKind,
  { access, network, sideEffects }: Facts['classification'],
): boolean {
  switch (action) {
    case 'read':
    case 'write':
      return access === action;
    case 'external':
      return network === action;
    case 'destructive':
    case 'system':
      return sideEffects === action;
  }
}

/** Whether a rule is about this target. One that nobody could determine might be anything, so only an ALLOW is not about it. */
export function reachesTarget({ target, effect }: Rule, value: Target | 'undetermined'): boolean {
  if (target === undefined) return true;
  return value === 'undetermined' ? effect !== 'ALLOW' : matchesGlob(target, value.value);
}
