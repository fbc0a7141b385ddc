// SPDX-License-Identifier: Apache-2.0
import { parseAppId } from '../keys/app-id.ts';
import { below } from '../manifests/pointer.ts';
import type { Classification } from './classify.ts';
import { PolicyError } from './error.ts';
import { type Glob, parseGlob } from './glob.ts';
import { type Hours, isHour } from './hours.ts';
import { JsonFields } from './json-fields.ts';
import type { PolicyLimits } from './limits.ts';
import type { Principal } from './principal.ts';
import type { Targets } from './target.ts';
import { refuseUnlikeTargets } from './target-glob.ts';

export const EFFECTS = ['ALLOW', 'ASK', 'DENY'] as const;
export type RuleEffect = (typeof EFFECTS)[number];

/** Kinds of action a rule can be limited to: what is done here, or that it reaches outside. */
export const ACTIONS = ['read', 'write', 'destructive', 'external', 'system'] as const;
export type ActionKind = (typeof ACTIONS)[number];

/** `root`: the administrator's files; `person`: made by the person at the desk; `user`: the user's files, which only tighten. */
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

/** Whose rule it is, and whether it may allow. */
export interface RuleOrigin {
  readonly id: string;
  readonly source: RuleSource;
  readonly mayAllow: boolean;
}

/** What a rule that names nothing is about: every principal, every capability. */
const ANY_PRINCIPAL = 'global';
const ANY_CAPABILITY = '*';

/**
 * Reads the JSON form of a rule: `effect` and `reason`, and `scope`, `capability` or `app`, `target`, `action` and `hours`
 * where it is limited.
 *
 * @throws PolicyError `RuleInvalid` with the JSON pointer of what is wrong; also for what could never match, and for a rule
 *   that allows where that may not be
 */
export function parseRule(value: unknown, { id, source, mayAllow }: RuleOrigin, limits: PolicyLimits): Rule {
  const fields = new JsonFields(value, 'RuleInvalid');
  const limited = {
    scope: readScope(fields, limits),
    ...readSubject(fields, limits),
    target: readTarget(fields, limits),
    action: fields.has('action') ? fields.oneOf('action', ACTIONS) : undefined,
    hours: readHours(fields),
  };
  const effect = fields.oneOf('effect', EFFECTS);
  if (effect === 'ALLOW' && !mayAllow) {
    throw fields.invalid(
      '/effect',
      'may only be `ASK` or `DENY` here: any program of the user can write this',
    );
  }
  const reason = fields.text('reason', limits.maxReason);
  fields.done();
  return { id, source, ...limited, effect, reason, specificity: specificityOf(limited) };
}

type Limited = Pick<Rule, 'scope' | 'capability' | 'app' | 'target' | 'action' | 'hours'>;

function specificityOf({ scope, capability, app, target, action, hours }: Limited): number {
  const weights: readonly [unknown, number][] = [
    [scope, 8],
    [capability ?? app, 4],
    [target, 2],
    [action, 1],
    [hours, 1],
  ];
  return weights.reduce((sum, [limit, weight]) => (limit === undefined ? sum : sum + weight), 0);
}

function readScope(fields: JsonFields, limits: PolicyLimits): string | undefined {
  if (!fields.has('scope')) return undefined;
  const scope = fields.text('scope', limits.maxId);
  if (/\s/.test(scope)) throw fields.invalid('/scope', 'is no id of a principal');
  return scope === ANY_PRINCIPAL ? undefined : scope;
}

/** The form of an id. Whether there is such a capability is not known here, and may change. */
const CAPABILITY_ID = /^[a-z][a-z0-9]*(?:\.[a-z0-9][a-z0-9_-]*)+$/;

function readSubject(fields: JsonFields, limits: PolicyLimits): Pick<Rule, 'capability' | 'app'> {
  if (fields.has('app')) {
    if (fields.has('capability'))
      throw fields.invalid('/app', 'and `capability` exclude each other: leave one out');
    return { capability: undefined, app: readApp(fields, limits) };
  }
  if (!fields.has('capability')) return { capability: undefined, app: undefined };
  const capability = fields.text('capability', limits.maxId);
  if (capability === ANY_CAPABILITY) return { capability: undefined, app: undefined };
  if (CAPABILITY_ID.test(capability)) return { capability, app: undefined };
  throw fields.invalid('/capability', 'must be `*` or one whole id such as `notes.org.example.notes.delete`');
}

function readApp(fields: JsonFields, limits: PolicyLimits): string {
  const app = fields.text('app', limits.maxId);
  try {
    return parseAppId(app);
  } catch (cause) {
    throw fields.invalid('/app', 'must be an app id such as `org.example.Notes`', { cause });
  }
}

function readTarget(fields: JsonFields, limits: PolicyLimits): Glob | undefined {
  if (!fields.has('target')) return undefined;
  const text = fields.text('target', limits.maxGlobLength);
  try {
    const glob = parseGlob(text, limits);
    refuseUnlikeTargets(glob);
    return glob;
  } catch (cause) {
    if (!(cause instanceof PolicyError)) throw cause;
    throw fields.invalid('/target', cause.message, { cause });
  }
}

function readHours(fields: JsonFields): Hours | undefined {
  if (!fields.has('hours')) return undefined;
  const members = new Map(fields.members('hours'));
  const hour = (key: string): number => {
    const value = members.get(key);
    members.delete(key);
    if (isHour(value)) return value;
    throw fields.invalid(below('/hours', key), 'must be a whole number from 0 to 23');
  };
  const hours = { from: hour('from'), to: hour('to') };
  const [unknown] = members.keys();
  if (unknown !== undefined) throw fields.invalid(below('/hours', unknown), 'is no known field');
  return hours;
}

/** The JSON form again, with id, source and specificity. */
export function ruleJson(rule: Rule): Record<string, unknown> {
  const { id, source, scope, capability, app, target, action, effect, hours, reason, specificity } = rule;
  return {
    id,
    source,
    specificity,
    scope: scope ?? ANY_PRINCIPAL,
    ...(app === undefined ? { capability: capability ?? ANY_CAPABILITY } : { app }),
    ...(target === undefined ? {} : { target: target.text }),
    ...(action === undefined ? {} : { action }),
    ...(hours === undefined ? {} : { hours: { from: hours.from, to: hours.to } }),
    effect,
    reason,
  };
}
