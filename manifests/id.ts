// SPDX-License-Identifier: Apache-2.0
import type { AppId } from '../keys/app-id.ts';
import { quote } from '../keys/error.ts';
import type { CapabilityId, Version } from './capability.ts';
import { ManifestError } from './error.ts';

// The published pattern: also for ids that arrive by other ways than a manifest.
const ID = /^[a-z][a-z0-9]*(?:\.[a-z][a-z0-9]*)+$/;
const MAX_ID_LENGTH = 255;
// Derived capabilities live here; no declaration may look like one.
const DERIVED_DOMAIN = 'atspi';
const VERSION = /^(?:0|[1-9][0-9]{0,8})(?:\.(?:0|[1-9][0-9]{0,8}))?$/;

/**
 * The app id as it stands in capability ids: lower case, `-` and `_` deleted, and an `n` before a segment that then
 * starts with a digit. Two app ids may fold to one name, so the registry admits only one of them.
 */
export function foldAppId(appId: AppId): string {
  return appId
    .toLowerCase()
    .replace(/[-_]/g, '')
    .replace(/(?<=^|\.)[0-9]/g, 'n$&');
}

function checkIdText(value: unknown, pointer: string): string {
  if (typeof value === 'string' && value.length <= MAX_ID_LENGTH && ID.test(value)) return value;
  throw new ManifestError(
    'CapabilityIdInvalid',
    pointer,
    `the capability id${typeof value === 'string' ? ` ${quote(value)}` : ''} is malformed: use lower-case letters ` +
      `and digits in parts joined by dots, each part starting with a letter, ${MAX_ID_LENGTH} characters at most`,
  );
}

function reserved(id: string, pointer: string, why: string): ManifestError {
  return new ManifestError('DomainReserved', pointer, `the capability id ${quote(id)} ${why}`);
}

/**
 * The id of an app's capability, `{domain}.{folded app id}.{action}`. The app id has to be known: it may hold dots, so
 * the parts cannot be told apart by splitting. Throws CapabilityIdInvalid, CapabilityIdForeign or DomainReserved.
 */
export function parseCapabilityId(value: unknown, appId: AppId, pointer = ''): CapabilityId {
  const id = checkIdText(value, pointer);
  const domainEnd = id.indexOf('.');
  const actionStart = id.lastIndexOf('.');
  const middle = foldAppId(appId);
  if (domainEnd === actionStart) {
    throw reserved(
      id,
      pointer,
      `has two parts, which only the broker's own have: write \`domain.${middle}.action\``,
    );
  }
  if (id.slice(0, domainEnd) === DERIVED_DOMAIN) {
    throw reserved(
      id,
      pointer,
      `uses the domain \`${DERIVED_DOMAIN}\`, kept for derived ones: choose another domain`,
    );
  }
  if (id.slice(domainEnd + 1, actionStart) !== middle) {
    throw new ManifestError(
      'CapabilityIdForeign',
      pointer,
      `the capability id ${quote(id)} does not name the app ${quote(appId)}: write \`domain.${middle}.action\``,
    );
  }
  return id as CapabilityId;
}

/** The two-part id of a capability compiled into the broker. Throws CapabilityIdInvalid or DomainReserved. */
export function parseBuiltinId(value: unknown, pointer = ''): CapabilityId {
  const id = checkIdText(value, pointer);
  if (id.indexOf('.') !== id.lastIndexOf('.')) {
    throw reserved(
      id,
      pointer,
      'has more than two parts, which only those of apps have: write `domain.action`',
    );
  }
  if (id.startsWith(`${DERIVED_DOMAIN}.`)) {
    throw reserved(
      id,
      pointer,
      `uses the domain \`${DERIVED_DOMAIN}\`, kept for derived ones: choose another domain`,
    );
  }
  return id as CapabilityId;
}

/**
 * A version `M.m`; an integer N reads as `N.0`, nothing at all as `1.0`. One version has one spelling, since versions
 * are compared for equality only. Throws VersionInvalid.
 */
export function parseVersion(value: unknown, pointer = ''): Version {
  const text = value === undefined ? '1.0' : typeof value === 'number' ? String(value) : value;
  const integerOrText = typeof value !== 'number' || Number.isInteger(value);
  if (typeof text !== 'string' || !integerOrText || !VERSION.test(text)) {
    throw new ManifestError(
      'VersionInvalid',
      pointer,
      `the version${typeof text === 'string' ? ` ${quote(text)}` : ''} is malformed: write \`major.minor\` ` +
        'without leading zeros',
    );
  }
  return (text.includes('.') ? text : `${text}.0`) as Version;
}
