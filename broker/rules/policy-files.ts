// SPDX-License-Identifier: Apache-2.0
import { createHash, type Hash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isSafeDirectory, lstatEntry, type Owners, readAnchorFile } from '../../keys/anchor-file.ts';
import { KeyError } from '../../keys/error.ts';
import { lineOfBreak } from '../../keys/json-break.ts';
import { lineOf } from '../../keys/json-place.ts';
import { parseStrictJson } from '../../keys/strict-json.ts';
import type { Witness } from '../../keys/witness.ts';
import { below } from '../../manifests/pointer.ts';
import { PolicyError } from '../../policy/error.ts';
import type { PolicyLimits } from '../../policy/limits.ts';
import { parseRule, type Rule } from '../../policy/rule.ts';
import { isRecordableName } from '../audit/gate.ts';
import { PolicyFileError, type Refusal } from './error.ts';

/** A directory of policy files. Those of a user may only tighten: any process of that user can write them. */
export interface PolicyPlace {
  /** Absolute; none there is no rules. */
  readonly directory: string;
  readonly source: 'root' | 'user';
  /** Uids besides root that may own the directory and its files. */
  readonly owners: Owners;
}

export interface PolicyFile {
  readonly path: string;
  readonly source: 'root' | 'user';
  readonly rules: readonly Rule[];
  /** Ids of capabilities that are always denied. */
  readonly locked: readonly string[];
}

/** All files of one place and one reading. */
export interface PolicyFiles {
  readonly files: readonly PolicyFile[];
  /** Equal for equal names and bytes. */
  readonly digest: string;
}

const MIB = 1024 * 1024;
const MAX_DEPTH = 8;
/** Most files of one directory: all are looked at again when a rule is needed. */
const MAX_FILES = 64;
/** Rules are recorded as `<source>:<file>:<number>`. */
const MAX_STEM = 64;
const CAPABILITY_ID = /^[a-z][a-z0-9]*(?:\.[a-z0-9][a-z0-9_-]*)+$/;

/**
 * Reads every `*.json` of one place, by name, or refuses all of it. What the reading rests on goes into `witness`, and what
 * a refusal rests on as well.
 * Names that start with a dot and other endings are passed over: editors and package managers leave such files.
 *
 * @throws PolicyFileError naming file, line and JSON pointer
 */
export function readPolicyFiles(place: PolicyPlace, witness: Witness, limits: PolicyLimits): PolicyFiles {
  const hash = createHash('sha256');
  const files: PolicyFile[] = [];
  const room = roomOf(place, limits);
  let { rules, bytes } = room;
  for (const name of namesIn(place, witness)) {
    const { file, size } = readPolicyFile(place, name, { witness, limits, hash, bytes });
    files.push(file);
    rules -= file.rules.length;
    bytes -= size;
    if (rules < 0) {
      const reason = `there are more than ${room.rules} rules in all files here`;
      throw refused(place, file.path, { at: '', reason });
    }
  }
  return { files, digest: hash.digest('hex') };
}

/**
 * What all files of a place together may hold. Any process of a user can write the user's, and everybody waits while they
 * are read and held against an intent.
 */
function roomOf({ source }: PolicyPlace, { maxRules }: PolicyLimits): { rules: number; bytes: number } {
  return source === 'root'
    ? { rules: maxRules, bytes: 16 * MIB }
    : { rules: Math.min(500, maxRules), bytes: MIB / 4 };
}

function namesIn(place: PolicyPlace, witness: Witness): readonly string[] {
  const { directory, source, owners } = place;
  const names = aboutFile(place, directory, () => {
    witness.sawContent(directory);
    // Who has no files is not told about the modes of folders above. Root's may have been taken away by whoever can write there.
    if (source === 'user' && lstatEntry(directory) === undefined) return [];
    return isSafeDirectory(directory, owners) ? readdirSync(directory) : [];
  }).filter((name) => name.endsWith('.json') && !name.startsWith('.'));
  if (names.length > MAX_FILES) {
    throw refused(place, directory, { at: '', reason: `it holds more than ${MAX_FILES} files` });
  }
  return names.toSorted();
}

function readPolicyFile(
  place: PolicyPlace,
  name: string,
  reading: { witness: Witness; limits: PolicyLimits; hash: Hash; bytes: number },
): { readonly file: PolicyFile; readonly size: number } {
  const { witness, limits, hash } = reading;
  const { directory, source, owners } = place;
  const path = join(directory, name);
  const stem = `${source}:${name.slice(0, -'.json'.length)}`;
  if (!isRecordableName(stem) || stem.length > MAX_STEM) {
    const reason = 'its name must be short and like `10-office.json`: its rules are recorded by it';
    throw refused(place, path, { at: '', reason });
  }
  const bytes = aboutFile(place, path, () => {
    witness.sawContent(path);
    return readAnchorFile(path, owners, reading.bytes).bytes;
  });
  hash.update(`${path}\0${bytes.length}\0`).update(bytes);
  try {
    const { rules, locked } = contentOf(
      parseStrictJson(bytes, { maxBytes: reading.bytes, maxDepth: MAX_DEPTH }),
    );
    const file: PolicyFile = {
      path,
      source,
      rules: rules.map((rule, index) =>
        ruleOf(rule, index, { id: `${stem}:${index + 1}`, source, mayAllow: source === 'root' }, limits),
      ),
      locked: locked.map(capabilityId),
    };
    return { file, size: bytes.length };
  } catch (error) {
    if (!(error instanceof PolicyError || error instanceof KeyError)) throw error;
    const { at = '', message } = error;
    const line = lineOfFault(new TextDecoder().decode(bytes), error);
    throw refused(place, path, { line, at, reason: message }, error);
  }
}

/** Where it is no JSON at all there is no pointer; nor where the text as such cannot be read. */
function lineOfFault(text: string, { at = '', message }: PolicyError | KeyError): number {
  if (at !== '') return lineOf(text, at);
  return message.includes('is not JSON') ? lineOfBreak(text) : 1;
}

function contentOf(value: unknown): { rules: readonly unknown[]; locked: readonly unknown[] } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid('must be an object with `rules`, `locked` or both', '');
  }
  const { rules = [], locked = [], ...rest } = value as Readonly<Record<string, unknown>>;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw invalid('is not known here', below('', unknown));
  if (!Array.isArray(rules)) throw invalid('must be a list of rules', '/rules');
  if (!Array.isArray(locked)) throw invalid('must be a list of capability ids', '/locked');
  return { rules, locked };
}

function ruleOf(
  value: unknown,
  index: number,
  as: Parameters<typeof parseRule>[1],
  limits: PolicyLimits,
): Rule {
  try {
    return parseRule(value, as, limits);
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    throw new PolicyError(error.code, error.message, `/rules/${index}${error.at ?? ''}`, { cause: error });
  }
}

/** The form of an id: a misspelt lock would lock nothing. Whether there is such a capability shows only later. */
function capabilityId(value: unknown, index: number): string {
  if (typeof value === 'string' && CAPABILITY_ID.test(value)) return value;
  throw invalid(
    'must be the id of a capability such as `notes.org.example.notes.delete`',
    `/locked/${index}`,
  );
}

function invalid(what: string, at: string): PolicyError {
  return new PolicyError('RuleInvalid', what, at);
}

/** What is said about a file or directory as such. What the system itself refuses leaves it just as unusable. */
function aboutFile<T>(place: PolicyPlace, path: string, look: () => T): T {
  try {
    return look();
  } catch (error) {
    const known = error instanceof KeyError;
    const reason = known ? error.message : 'it cannot be read';
    throw refused(place, known ? (error.at ?? path) : path, { at: '', reason }, error);
  }
}

function refused({ source }: PolicyPlace, path: string, refusal: Refusal, cause?: unknown): PolicyFileError {
  return new PolicyFileError(path, source, refusal, cause === undefined ? undefined : { cause });
}
