// SPDX-License-Identifier: Apache-2.0
import type { TargetDeclaration, TargetKind } from '../manifests/capability.ts';
import { PolicyError } from './error.ts';
import { canonicalEscape } from './percent-encoding.ts';

/** What an intent would touch, in the one spelling that rules are matched against. */
export interface Target {
  readonly kind: TargetKind;
  readonly value: string;
}

/**
 * The targets of one intent, or `undetermined` when the definition declares none or the parameters leave one out.
 * An undetermined target is matched by every rule that denies or asks, and by none that allows.
 */
export type Targets = readonly Target[] | 'undetermined';

/**
 * Follows symbolic links of an absolute path as far as it exists; undefined where it does not lead to one place for every
 * process. Supplied by the broker, since this folder touches no disk.
 */
export type ResolvePath = (path: string) => string | undefined;

/**
 * Derives the targets from validated parameters. Never from what a caller says the target is.
 *
 * @throws PolicyError `TargetInvalid` with the JSON pointer of the parameter that is no such target
 */
export function deriveTargets(
  declarations: readonly TargetDeclaration[],
  params: unknown,
  resolvePath: ResolvePath,
): Targets {
  if (declarations.length === 0) return 'undetermined';
  const found: Target[] = [];
  let length = 0;
  const add = (kind: TargetKind, one: unknown, at: string): void => {
    if (found.length >= MOST_TARGETS) {
      throw new PolicyError('TargetInvalid', `more than ${MOST_TARGETS} targets: do it in parts`, at);
    }
    const value = canonical(kind, one, at, resolvePath);
    // Its one spelling can be longer than what was given.
    refuseTooLong(value, at);
    length += value.length;
    if (length > LONGEST_IN_ALL) {
      throw new PolicyError(
        'TargetInvalid',
        `more than ${LONGEST_IN_ALL} characters of targets: do it in parts`,
        at,
      );
    }
    found.push({ kind, value });
  };
  for (const { parameter, kind } of declarations) {
    const value = valueAt(params, parameter);
    const values = Array.isArray(value) ? value : [value];
    if (value === undefined || values.length === 0) return 'undetermined';
    for (const one of values) add(kind, one, parameter);
  }
  return found;
}

/** Each is looked up and held against every rule that could be about it, and everybody waits meanwhile. */
const MOST_TARGETS = 256;
/** PATH_MAX of Linux: a longer path cannot be opened. A text or URL of that length is no target that a person would name. */
const LONGEST = 4096;
/** UTF-16 code units of all targets of an intent: what matching them costs grows with each. */
const LONGEST_IN_ALL = 65_536;

function valueAt(params: unknown, pointer: string): unknown {
  let value = params;
  for (const token of pointer.split('/').slice(1)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[key];
  }
  return value;
}

function refuseTooLong(value: string, at: string): void {
  if (value.length >= LONGEST) throw new PolicyError('TargetInvalid', 'the target is too long', at);
}

function canonical(kind: TargetKind, value: unknown, at: string, resolvePath: ResolvePath): string {
  if (typeof value !== 'string' || value === '')
    throw new PolicyError('TargetInvalid', 'a target must be a non-empty text', at);
  refuseTooLong(value, at);
  switch (kind) {
    case 'path':
      return canonicalPath(value, at, resolvePath);
    case 'url':
      return canonicalUrl(value, at);
    case 'unit':
      return matching(UNIT, value, at, 'a unit name such as `nginx.service`');
    case 'app':
      return matching(APP, value, at, 'an app id such as `org.example.Notes`');
    case 'text':
      return value;
  }
}

const UNIT = /^(?!-)[A-Za-z0-9:_.@\\-]{1,255}$/;
const APP = /^[A-Za-z_][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)+$/;

function matching(pattern: RegExp, value: string, at: string, expected: string): string {
  if (pattern.test(value)) return value;
  throw new PolicyError('TargetInvalid', `expected ${expected}`, at);
}

function canonicalPath(value: string, at: string, resolvePath: ResolvePath): string {
  const segments = value.split('/');
  if (!value.startsWith('/') || value.includes('\0'))
    throw new PolicyError('TargetInvalid', 'a path must be absolute', at);
  if (segments.includes('..')) {
    throw new PolicyError('TargetInvalid', 'a path may not contain `..`: give the path itself', at);
  }
  const resolved = resolvePath(
    `/${segments.filter((segment) => segment !== '' && segment !== '.').join('/')}`,
  );
  if (resolved !== undefined) return resolved;
  throw new PolicyError('TargetInvalid', 'the path does not lead to one place: give the path itself', at);
}

/** What URL parsers drop or turn into something else, so that two of them can see different hosts in one text. */
const READ_DIFFERENTLY = /[\\\p{Cc}\p{White_Space}]/u;

function canonicalUrl(value: string, at: string): string {
  const url = READ_DIFFERENTLY.test(value) ? null : URL.parse(value);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new PolicyError(
      'TargetInvalid',
      'a URL must start with `http://` or `https://` and hold no spaces',
      at,
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new PolicyError('TargetInvalid', 'a URL may not carry a user name or password', at);
  }
  // With or without its final dot a host is the same (RFC 1034 3.1).
  url.hostname = url.hostname.replace(/\.$/, '');
  if (/^\.|\.\.|\.$/.test(url.hostname)) {
    throw new PolicyError('TargetInvalid', 'the host of a URL may hold no empty parts', at);
  }
  if (/%(?![0-9A-Fa-f]{2})/.test(url.href)) {
    throw new PolicyError('TargetInvalid', 'in a URL, `%` must come before two hex digits: write `%25`', at);
  }
  return url.href.replace(/%(..)/g, (_, digits: string) => canonicalEscape(digits));
}
