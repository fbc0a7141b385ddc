// SPDX-License-Identifier: Apache-2.0
import { below, pointerTokens } from '../manifests/pointer.ts';
import type { Access } from './classify.ts';
import { Effort } from './effort.ts';
import { PolicyError } from './error.ts';
import { type Glob, parseGlob } from './glob.ts';
import { includes } from './glob-algebra.ts';
import type { JsonFields } from './json-fields.ts';
import type { PolicyLimits } from './limits.ts';
import { refuseUnlikeTargets } from './target-glob.ts';

/** What one parameter may be. */
export interface ParamBound {
  /** JSON pointer into the parameters. */
  readonly pointer: string;
  readonly glob: Glob;
}

/** What a grant reaches, whosever it is and for whichever capability. */
export interface GrantBounds {
  /** Undefined only for a capability that declares no target. */
  readonly target: Glob | undefined;
  readonly params: readonly ParamBound[];
  /** `write` covers reading as well. */
  readonly access: Access;
  /** Milliseconds since the epoch; from then on it covers nothing. */
  readonly expiresAt: number;
  /** How often in all, used ones included; undefined for an answer for the session, which is not counted. */
  readonly operations: number | undefined;
}

const ACCESS = ['read', 'write'] as const;
const MINUTE_MS = 60_000;
/** Seven days. */
const MOST_MINUTES = 7 * 24 * 60;
const MOST_OPERATIONS = 10_000;
/** For comparing all patterns of two grants: some hundredths of a second. */
const EFFORT = 100_000;

export function readAccess(fields: JsonFields): Access {
  return fields.oneOf('access', ACCESS);
}

export function readMinutes(fields: JsonFields): number {
  return fields.wholeNumber('minutes', 1, MOST_MINUTES);
}

export function readOperations(fields: JsonFields): number {
  return fields.wholeNumber('operations', 1, MOST_OPERATIONS);
}

/** One that could reach what it does not look like, such as another host, is refused like in a rule. */
export function readTarget(fields: JsonFields, limits: PolicyLimits): Glob | undefined {
  if (!fields.has('target')) return undefined;
  const text = fields.text('target', limits.maxGlobLength);
  return globAt(fields, '/target', () => {
    const glob = parseGlob(text, limits);
    refuseUnlikeTargets(glob);
    return glob;
  });
}

/** `{"/pointer": "glob"}`, in the order of the pointers: equal bounds have one form. */
export function readParams(fields: JsonFields, limits: PolicyLimits): readonly ParamBound[] {
  if (!fields.has('params')) return [];
  const members = fields.members('params');
  if (members.length > limits.maxParamBounds) {
    throw fields.invalid('/params', `may bound ${limits.maxParamBounds} parameters at most`);
  }
  return members
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([pointer, text]) => {
      const at = below('/params', pointer);
      if (pointerTokens(pointer) === undefined) {
        throw fields.invalid(at, 'does not name a parameter: write a JSON pointer such as `/path`');
      }
      if (typeof text !== 'string') throw fields.invalid(at, 'must be a pattern');
      return { pointer, glob: globAt(fields, at, () => parseGlob(text, limits)) };
    });
}

function globAt(fields: JsonFields, at: string, read: () => Glob): Glob {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof PolicyError)) throw cause;
    throw fields.invalid(at, `is no such pattern: ${cause.message}`, { cause });
  }
}

/** The moment `minutes` from `now`, in milliseconds since the epoch. */
export function inMinutes(minutes: number, now: number): number {
  return now + minutes * MINUTE_MS;
}

/** That bounds reach no further than others, or the JSON pointer of the first place where they do. */
export type Within = true | { readonly at: string };

/**
 * Whether `narrower` covers nothing that `wider` does not. Patterns that are too complex to compare count as wider, unless
 * they are the same.
 */
export function isWithin(narrower: GrantBounds, wider: GrantBounds): Within {
  const effort = new Effort(EFFORT);
  if (!isTargetWithin(narrower.target, wider.target, effort)) return { at: '/target' };
  for (const { pointer, glob } of wider.params) {
    const own = narrower.params.find((bound) => bound.pointer === pointer);
    if (own === undefined || !isGlobWithin(own.glob, glob, effort)) return { at: below('/params', pointer) };
  }
  if (narrower.access === 'write' && wider.access === 'read') return { at: '/access' };
  if (!(narrower.expiresAt <= wider.expiresAt)) return { at: '/minutes' };
  return countOf(narrower) <= countOf(wider) ? true : { at: '/operations' };
}

/** A pattern covers what has a target and none covers what has not: neither is a part of the other. */
function isTargetWithin(narrower: Glob | undefined, wider: Glob | undefined, effort: Effort): boolean {
  if (narrower === undefined || wider === undefined) return narrower === wider;
  return isGlobWithin(narrower, wider, effort);
}

function isGlobWithin(narrower: Glob, wider: Glob, effort: Effort): boolean {
  return narrower.text === wider.text || includes(wider, narrower, effort) === true;
}

/** What is not counted is as good as any number. */
function countOf({ operations }: GrantBounds): number {
  return operations ?? Number.POSITIVE_INFINITY;
}
