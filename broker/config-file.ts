// SPDX-License-Identifier: Apache-2.0

import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { isSafeDirectory, readAnchorFile } from '../keys/anchor-file.ts';
import { parseStrictJson } from '../keys/strict-json.ts';
import { AUTH_LEVELS, CATEGORIES } from '../manifests/capability.ts';
import { isRecordableName } from './audit/gate.ts';
import { type BrokerConfig, DEFAULTS, type PolicyPlaces } from './config.ts';
import { ConfigError } from './error.ts';
import { BINDINGS, type BindingKind } from './identity/binding.ts';
import { type PrincipalConfig, ROLES } from './identity/principal.ts';

const MAX_BYTES = 1024 * 1024;

/**
 * Reads the administrator's configuration: strict JSON, unknown keys refused, the whole file or nothing. What is left out
 * keeps its default. `owners` says who besides root may own the file and its directories.
 *
 * @throws ConfigError `ConfigUnsafe` or `ConfigInvalid`, naming the place
 */
export function readConfig(path: string, owners: readonly number[], storeDirectory: string): BrokerConfig {
  let text: Uint8Array;
  try {
    isSafeDirectory(dirname(path), owners);
    text = readAnchorFile(path, owners, MAX_BYTES).bytes;
  } catch (cause) {
    throw new ConfigError(
      'ConfigUnsafe',
      `the configuration \`${path}\` cannot be used: ${messageOf(cause)}`,
      { cause },
    );
  }
  let value: unknown;
  try {
    value = parseStrictJson(text, { maxBytes: MAX_BYTES, maxDepth: 16 });
  } catch (cause) {
    throw new ConfigError(
      'ConfigInvalid',
      `the configuration \`${path}\` is not strict JSON: ${messageOf(cause)}`,
      { cause },
    );
  }
  return parseConfig(value, storeDirectory);
}

const USUAL_PLACE = '/etc/portal/broker.json';

/** Reads the named file, or the usual one where there is one, or takes the defaults, under which nobody may decide. */
export function readConfigOrDefaults(
  path: string | undefined,
  owners: readonly number[],
  storeDirectory: string,
): BrokerConfig {
  if (path === undefined && !existsSync(USUAL_PLACE)) return { ...DEFAULTS, storeDirectory };
  return readConfig(path ?? USUAL_PLACE, owners, storeDirectory);
}

/** @throws ConfigError `ConfigInvalid` with the JSON pointer of what is wrong */
export function parseConfig(value: unknown, storeDirectory: string): BrokerConfig {
  const given = objectAt(value, '');
  const known = new Reader(given);
  const config: BrokerConfig = {
    ...DEFAULTS,
    trustedDirectories: known.take('trusted_directories', absolutePaths, DEFAULTS.trustedDirectories),
    revokedFile: known.take('revoked_file', absolutePath, DEFAULTS.revokedFile),
    owners: known.take('owners', listOf(wholeNumber), DEFAULTS.owners),
    storeDirectory: known.take('store', absolutePath, storeDirectory),
    profile: known.take('profile', oneOf(['standard', 'strict'] as const), DEFAULTS.profile),
    principals: known.take('principals', principals, DEFAULTS.principals),
    locked: known.take('locked', listOf(capabilityId), DEFAULTS.locked),
    enabledExternal: known.take('enabled_external', listOf(capabilityId), DEFAULTS.enabledExternal),
    allowedWhileLocked: known.take('allowed_while_locked', listOf(capabilityId), DEFAULTS.allowedWhileLocked),
    policy: known.take('policy', policyPlaces, DEFAULTS.policy),
    decide: known.take('decide', decide, DEFAULTS.decide),
    development: known.take('development', development, undefined),
    retentionDays: known.take('retention_days', positive, DEFAULTS.retentionDays),
    confirm: known.take('confirm', numbers(DEFAULTS.confirm), DEFAULTS.confirm),
    grants: known.take('grants', numbers(DEFAULTS.grants), DEFAULTS.grants),
    requests: known.take('requests', numbers(DEFAULTS.requests), DEFAULTS.requests),
    turns: known.take('turns', numbers(DEFAULTS.turns, positive), DEFAULTS.turns),
    quotas: known.take('quotas', numbers(DEFAULTS.quotas), DEFAULTS.quotas),
  };
  known.refuseRest('');
  return config;
}

type Parse<T> = (value: unknown, at: string) => T;

/** The keys of one object; what nobody asked for is refused at the end, since it could be a misspelt restriction. */
class Reader {
  readonly #left: Map<string, unknown>;
  readonly #at: string;

  constructor(given: Readonly<Record<string, unknown>>, at = '') {
    this.#left = new Map(Object.entries(given));
    this.#at = at;
  }

  take<T>(key: string, parse: Parse<T>, absent: T): T {
    if (!this.#left.has(key)) return absent;
    const value = this.#left.get(key);
    this.#left.delete(key);
    return parse(value, `${this.#at}/${key}`);
  }

  refuseRest(at: string): void {
    const [unknown] = this.#left.keys();
    if (unknown !== undefined) throw invalid(`${at}/${unknown}`, 'is no known setting');
  }
}

function principal(value: unknown, at: string): PrincipalConfig {
  const reader = new Reader(objectAt(value, at), at);
  const read: PrincipalConfig = {
    id: reader.take('id', identifier, ''),
    roles: reader.take('roles', listOf(oneOf(ROLES)), []),
    level: reader.take('level', oneOf(AUTH_LEVELS), 'user'),
    categories: reader.take('categories', listOf(oneOf(CATEGORIES)), undefined),
    match: reader.take('match', match, {}),
    minBinding: reader.take<BindingKind | undefined>('min_binding', oneOf(BINDINGS), undefined),
  };
  reader.refuseRest(at);
  if (read.id === '') throw invalid(`${at}/id`, 'is missing');
  if (Object.keys(read.match).length === 0)
    throw invalid(`${at}/match`, 'must name at least one thing to recognise it by');
  return read;
}

function match(value: unknown, at: string): PrincipalConfig['match'] {
  const reader = new Reader(objectAt(value, at), at);
  const read = {
    uid: reader.take<number | undefined>('uid', wholeNumber, undefined),
    gid: reader.take<number | undefined>('gid', wholeNumber, undefined),
    label: reader.take<string | undefined>('label', text, undefined),
    systemUnit: reader.take<string | undefined>('system_unit', text, undefined),
    sandboxId: reader.take<string | undefined>('sandbox_id', text, undefined),
    appUnit: reader.take<string | undefined>('app_unit', text, undefined),
    exe: reader.take<string | undefined>('exe', absolutePath, undefined),
  };
  reader.refuseRest(at);
  return Object.fromEntries(Object.entries(read).filter(([, one]) => one !== undefined));
}

function policyPlaces(value: unknown, at: string): PolicyPlaces {
  const reader = new Reader(objectAt(value, at), at);
  const read = {
    directory: reader.take('directory', absolutePath, DEFAULTS.policy.directory),
    userDirectory: reader.take<string | undefined>('user_directory', absolutePath, undefined),
  };
  reader.refuseRest(at);
  return read;
}

function decide(value: unknown, at: string): BrokerConfig['decide'] {
  const reader = new Reader(objectAt(value, at), at);
  const read = {
    polkit: reader.take('polkit', bool, DEFAULTS.decide.polkit),
    timeoutMs: reader.take('timeout_ms', positive, DEFAULTS.decide.timeoutMs),
  };
  reader.refuseRest(at);
  return read;
}

function development(value: unknown, at: string): BrokerConfig['development'] {
  const reader = new Reader(objectAt(value, at), at);
  const acceptUnsigned = reader.take('accept_unsigned', bool, false);
  const launcher = reader.take(
    'launcher',
    (one, place) => {
      const inner = new Reader(objectAt(one, place), place);
      const read = { pid: inner.take('pid', positive, 0), startTime: inner.take('start_time', text, '') };
      inner.refuseRest(place);
      return read;
    },
    { pid: 0, startTime: '' },
  );
  reader.refuseRest(at);
  return { acceptUnsigned, launcher };
}

/** An object of whole numbers, with the keys of `defaults` in snake_case; what is left out keeps its default. */
function numbers<T extends object>(defaults: T, parse: Parse<number> = wholeNumber): Parse<T> {
  return (value, at) => {
    const reader = new Reader(objectAt(value, at), at);
    const entries = Object.entries(defaults).map(([key, absent]) => [
      key,
      reader.take(snake(key), parse, absent),
    ]);
    reader.refuseRest(at);
    return Object.fromEntries(entries) as T;
  };
}

function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function listOf<T>(parse: Parse<T>): Parse<readonly T[]> {
  return (value, at) => {
    if (!Array.isArray(value)) throw invalid(at, 'must be a list');
    return value.map((one, index) => parse(one, `${at}/${index}`));
  };
}

function oneOf<const T extends string>(choices: readonly T[]): Parse<T> {
  return (value, at) => {
    const found = choices.find((choice) => choice === value);
    if (found === undefined) throw invalid(at, `must be one of ${choices.join(', ')}`);
    return found;
  };
}

const absolutePaths = listOf(absolutePath);

function absolutePath(value: unknown, at: string): string {
  if (typeof value === 'string' && value.startsWith('/') && !value.includes('\0')) return value;
  throw invalid(at, 'must be an absolute path');
}

function text(value: unknown, at: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw invalid(at, 'must be a non-empty text');
}

/** The form of an id: a misspelt lock would lock nothing. Whether there is such a capability shows only later. */
function capabilityId(value: unknown, at: string): string {
  if (typeof value === 'string' && /^[a-z][a-z0-9]*(\.[a-z][a-z0-9]*)+$/.test(value)) return value;
  throw invalid(at, 'must be the id of a capability such as `notes.org.example.notes.delete`');
}

function principals(value: unknown, at: string): readonly PrincipalConfig[] {
  const read = listOf(principal)(value, at);
  const twice = read.findIndex(({ id }, index) => read.findIndex((other) => other.id === id) < index);
  if (twice >= 0) throw invalid(`${at}/${twice}/id`, 'is the id of another principal as well');
  return read;
}

/** A colon is in the names that the broker gives itself, such as `unmatched:1000`; `global` in a rule means everybody. */
function identifier(value: unknown, at: string): string {
  const isName = typeof value === 'string' && value.length <= 64 && isRecordableName(value);
  if (isName && !value.includes(':') && value !== 'global') return value;
  throw invalid(at, 'must be a name of at most 64 characters such as `desk` or `agent-one`');
}

function wholeNumber(value: unknown, at: string): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw invalid(at, 'must be a whole number, 0 or more');
}

function positive(value: unknown, at: string): number {
  const number = wholeNumber(value, at);
  if (number === 0) throw invalid(at, 'must be more than 0');
  return number;
}

function bool(value: unknown, at: string): boolean {
  if (typeof value === 'boolean') return value;
  throw invalid(at, 'must be true or false');
}

function objectAt(value: unknown, at: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Readonly<Record<string, unknown>>;
  throw invalid(at, 'must be an object');
}

function invalid(at: string, what: string): ConfigError {
  return new ConfigError('ConfigInvalid', `the setting \`${at === '' ? '/' : at}\` ${what}`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unreadable';
}
