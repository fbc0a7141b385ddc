// SPDX-License-Identifier: Apache-2.0
import type { TargetDeclaration } from '../manifests/capability.ts';
import { pointerTokens } from '../manifests/pointer.ts';
import type { Access } from './classify.ts';
import { PolicyError } from './error.ts';
import { type Glob, matchesGlob, parseGlob } from './glob.ts';
import {
  type GrantBounds,
  inMinutes,
  isWithin,
  readAccess,
  readMinutes,
  readOperations,
  readParams,
  readTarget,
  type Within,
} from './grant-bounds.ts';
import { JsonFields } from './json-fields.ts';
import type { PolicyLimits } from './limits.ts';
import type { Principal } from './principal.ts';
import type { Targets } from './target.ts';

/** What a grant says of itself before it is one: bound to no definition yet. */
export interface WantedGrant extends GrantBounds {
  /** The configured name of a principal. */
  readonly principal: string;
  readonly capability: string;
  readonly operations: number;
  readonly reason: string;
}

/**
 * A person's earlier yes to all that it covers. It answers in their place where policy asks, and nowhere else.
 * `scoped` is for whoever bears a configured name, and counted; `session` is an answer for the session: for one connection.
 */
export interface Grant extends GrantBounds {
  readonly id: string;
  readonly kind: 'scoped' | 'session';
  /** The configured name, or for `session` the exact id. */
  readonly principal: string;
  readonly capability: string;
  /** Of the definition that the person knew. */
  readonly definitionDigest: string;
  readonly reason: string;
  readonly session: { readonly connection: string; readonly label: string | undefined } | undefined;
}

/** One invocation, as far as a grant looks at it. */
export interface GrantFacts {
  readonly principal: Pick<Principal, 'id' | 'name'>;
  readonly connection: string;
  /** The caller's label of its session. */
  readonly session: string | undefined;
  readonly capability: string;
  readonly definitionDigest: string;
  readonly targets: Targets;
  /** Validated. */
  readonly params: unknown;
  readonly access: Access;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Whether a grant covers an invocation. How often it may still be used is for the ledger to say. */
export function covers(grant: Grant, facts: GrantFacts): boolean {
  return (
    facts.now < grant.expiresAt &&
    grant.capability === facts.capability &&
    grant.definitionDigest === facts.definitionDigest &&
    (grant.access === 'write' || facts.access === 'read') &&
    isFor(grant, facts) &&
    coversTargets(grant.target, facts.targets) &&
    grant.params.every(({ pointer, glob }) => coversParam(glob, pointer, facts.params))
  );
}

function isFor({ kind, principal, session }: Grant, facts: GrantFacts): boolean {
  if (kind === 'scoped') return principal === facts.principal.name;
  return (
    principal === facts.principal.id &&
    session?.connection === facts.connection &&
    session.label === facts.session
  );
}

function coversTargets(glob: Glob | undefined, targets: Targets): boolean {
  if (glob === undefined || targets === 'undetermined')
    return glob === undefined && targets === 'undetermined';
  return targets.length > 0 && targets.every(({ value }) => matchesGlob(glob, value));
}

/** Of a text in UTF-16 code units: a longer one costs too much to match, and is not covered. */
const LONGEST_TEXT = 4096;

/** Texts as they are, numbers and booleans as JSON spells them; what is absent or anything else is not covered. */
function coversParam(glob: Glob, pointer: string, params: unknown): boolean {
  const value = pointerTokens(pointer)?.reduce<unknown>(member, params);
  if (typeof value === 'string') return value.length <= LONGEST_TEXT && matchesGlob(glob, value);
  const hasOneSpelling = typeof value === 'number' || typeof value === 'boolean';
  return hasOneSpelling && matchesGlob(glob, JSON.stringify(value));
}

/** Members and elements of JSON are enumerable; a list's `length` is not, and no member. */
function member(value: unknown, token: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).find(([key]) => key === token)?.[1];
}

/** What is compared of two grants; one that is only wanted is bound to no definition. */
type Comparable = GrantBounds &
  Pick<Grant, 'principal' | 'capability'> &
  Partial<Pick<Grant, 'kind' | 'definitionDigest' | 'session'>>;

/**
 * Whether one grant covers nothing that another does not; else the first field that is wider, as a JSON pointer.
 * Reflexive and transitive.
 */
export function narrows(narrower: Comparable, wider: Comparable): Within {
  if (narrower.principal !== wider.principal || !isForSame(narrower, wider)) return { at: '/principal' };
  const sameDefinition = narrower.definitionDigest === wider.definitionDigest;
  if (narrower.capability !== wider.capability || !sameDefinition) return { at: '/capability' };
  return isWithin(narrower, wider);
}

function isForSame(a: Comparable, b: Comparable): boolean {
  const sameSession =
    a.session?.connection === b.session?.connection && a.session?.label === b.session?.label;
  return a.kind === b.kind && sameSession;
}

/**
 * Names that several peers bear by being nobody in particular, and ids of single processes: what is granted to one would
 * be shared with others, or never apply.
 */
const NOBODYS_NAME = /^unmatched:\d+$|:pid:\d+:/;

/**
 * Reads `{"principal", "capability", "access", "minutes", "operations", "reason", "target"?, "params"?}`.
 * @param now milliseconds since the epoch: `minutes` count from it
 * @throws PolicyError `GrantInvalid` with the place
 */
export function parseGrantRequest(value: unknown, limits: PolicyLimits, now: number): WantedGrant {
  const fields = new JsonFields(value, 'GrantInvalid');
  const principal = fields.text('principal', limits.maxId);
  if (NOBODYS_NAME.test(principal)) {
    throw fields.invalid('/principal', 'must be the name of a configured principal');
  }
  const wanted: WantedGrant = {
    principal,
    capability: fields.text('capability', limits.maxId),
    target: readTarget(fields, limits),
    params: readParams(fields, limits),
    access: readAccess(fields),
    expiresAt: inMinutes(readMinutes(fields), now),
    operations: readOperations(fields),
    reason: fields.text('reason', limits.maxReason),
  };
  fields.done();
  return wanted;
}

/**
 * A grant is bounded by a target exactly where the capability has one: an open one would cover every target, and one for
 * a capability without could never apply.
 * @throws PolicyError `GrantInvalid`
 */
export function checkTarget(
  { target }: Pick<WantedGrant, 'target'>,
  { targets }: { readonly targets: readonly TargetDeclaration[] },
): void {
  const hasTarget = targets.length > 0;
  if (hasTarget === (target !== undefined)) return;
  const what = hasTarget
    ? 'is missing: the capability has a target'
    : 'is no use: the capability has no target';
  throw new PolicyError('GrantInvalid', `\`/target\` ${what}`, '/target');
}

/**
 * A person's answer for the session: the same capability and access, and the one literal target, from this connection
 * with this label.
 *
 * @throws PolicyError `GlobInvalid` for a target too long to be a pattern
 */
export function sessionGrant(
  id: string,
  facts: Omit<GrantFacts, 'params' | 'now'>,
  target: string,
  bounds: { readonly expiresAt: number; readonly reason: string },
  limits: PolicyLimits,
): Grant {
  return {
    id,
    kind: 'session',
    principal: facts.principal.id,
    capability: facts.capability,
    definitionDigest: facts.definitionDigest,
    target: parseGlob(target.replace(/[\\*?{},]/g, '\\$&'), limits),
    params: [],
    access: facts.access,
    operations: undefined,
    session: { connection: facts.connection, label: facts.session },
    ...bounds,
  };
}
