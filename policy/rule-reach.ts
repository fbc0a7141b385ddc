// SPDX-License-Identifier: Apache-2.0
import type { TooComplex } from './glob-algebra.ts';
import { type Hours, within } from './hours.ts';
import type { ActionKind, Rule } from './rule.ts';
import type { TargetPairs } from './target-pairs.ts';

/** What a rule looks at: the axes along which rules lie inside or across each other. */
export type Reach = Pick<Rule, 'scope' | 'capability' | 'app' | 'target' | 'action' | 'hours'>;

/** What rules are compared by, beside themselves. */
export interface Ground {
  /** The app that a capability is of; undefined where that is not known. */
  readonly appOf: (capability: string) => string | undefined;
  readonly targets: TargetPairs;
}

/** A witness of an overlap: a target that both match, where either names one. */
export interface Overlap {
  readonly example: string | undefined;
}

/**
 * Whether one rule matches at least all that another does. True only where that is certain: patterns that are too complex
 * to compare do not count as included.
 */
export function reachIncludes(wider: Reach, narrower: Reach, ground: Ground): boolean {
  return (
    scopeIncludes(wider.scope, narrower.scope) &&
    capabilityIncludes(wider, narrower, ground) &&
    actionIncludes(wider.action, narrower.action) &&
    (hoursOf(narrower.hours) & ~hoursOf(wider.hours)) === 0 &&
    targetIncludes(wider.target, narrower.target, ground)
  );
}

/** Whether two rules both match some invocation. Only where that is certain: one that could be found is not made up. */
export function reachOverlap(a: Reach, b: Reach, ground: Ground): Overlap | undefined {
  const aboutOne = capabilityIncludes(a, b, ground) || capabilityIncludes(b, a, ground);
  if (!aboutOne || areApartAnyhow(a, b)) return undefined;
  const found = targetOverlap(a.target, b.target, ground);
  return found === 'apart' || found === 'too-complex' ? undefined : found;
}

/** Whether no invocation matches both a rule and a denial. True only where that is certain. */
export function isApartFrom(denial: Reach, rule: Rule, ground: Ground): boolean {
  if (
    areApartAnyhow(denial, rule) ||
    areOfOthers(denial, rule, ground) ||
    areOfOthers(rule, denial, ground)
  ) {
    return true;
  }
  // What has no target to tell matches every pattern that asks or denies, whichever it is, and none that allows.
  return rule.effect === 'ALLOW' && targetOverlap(denial.target, rule.target, ground) === 'apart';
}

function areApartAnyhow(a: Reach, b: Reach): boolean {
  return (
    !(scopeIncludes(a.scope, b.scope) || scopeIncludes(b.scope, a.scope)) ||
    areDisjoint(a.action, b.action) ||
    (hoursOf(a.hours) & hoursOf(b.hours)) === 0
  );
}

/** Whether `a` names one thing and `b` names another; of a capability nobody knows, the app may be any. */
function areOfOthers(a: Reach, b: Reach, ground: Ground): boolean {
  if (a.capability === undefined) return a.app !== undefined && b.app !== undefined && a.app !== b.app;
  if (b.capability !== undefined) return a.capability !== b.capability;
  const app = ground.appOf(a.capability);
  return app !== undefined && b.app !== undefined && app !== b.app;
}

/** A configured name stands for every process that bears it (`name:pid:…`). */
function scopeIncludes(wider: string | undefined, narrower: string | undefined): boolean {
  if (wider === undefined) return true;
  return narrower === wider || narrower?.startsWith(`${wider}:pid:`) === true;
}

type OfCapability = Pick<Reach, 'capability' | 'app'>;

/** Whether a rule is about at least the capabilities of another. They cannot lie across each other. */
export function capabilityIncludes(wider: OfCapability, narrower: OfCapability, ground: Ground): boolean {
  if (wider.capability !== undefined) return wider.capability === narrower.capability;
  if (wider.app === undefined) return true;
  if (narrower.capability === undefined) return wider.app === narrower.app;
  return wider.app === ground.appOf(narrower.capability);
}

/** What the class of side effects says of the access: these are always writes. */
const WRITES: readonly (ActionKind | undefined)[] = ['destructive', 'system'];

function actionIncludes(wider: ActionKind | undefined, narrower: ActionKind | undefined): boolean {
  return wider === undefined || wider === narrower || (wider === 'write' && WRITES.includes(narrower));
}

/** Whatever reaches outside can be of any other kind as well. */
function areDisjoint(a: ActionKind | undefined, b: ActionKind | undefined): boolean {
  if (a === 'external' || b === 'external') return false;
  return !actionIncludes(a, b) && !actionIncludes(b, a);
}

const WHOLE_DAY = 0xff_ff_ff;

/** The hours of the day as 24 bits. */
function hoursOf(hours: Hours | undefined): number {
  if (hours === undefined) return WHOLE_DAY;
  let bits = 0;
  for (let hour = 0; hour < 24; hour += 1) if (within(hours, hour)) bits |= 1 << hour;
  return bits;
}

function targetIncludes(wider: Reach['target'], narrower: Reach['target'], { targets }: Ground): boolean {
  if (wider === undefined) return true;
  return narrower !== undefined && targets.isIncluded(narrower, wider);
}

function targetOverlap(
  a: Reach['target'],
  b: Reach['target'],
  { targets }: Ground,
): Overlap | 'apart' | TooComplex {
  const one = a ?? b;
  return one === undefined ? { example: undefined } : targets.overlap(one, b ?? one);
}
