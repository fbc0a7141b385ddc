// SPDX-License-Identifier: Apache-2.0
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert } from 'chai';
import { KeyError, type KeyErrorCode } from '../../keys/error.ts';
import { publicKeyOf } from '../../keys/sign.ts';

/** Runs `act`, which must refuse with exactly this code, and at this place when one is given. */
export function assertRefused(act: () => unknown, code: KeyErrorCode, at?: string): KeyError {
  let error: unknown;
  try {
    act();
  } catch (thrown) {
    error = thrown;
  }
  if (!(error instanceof KeyError)) throw new Error(`expected ${code}, got ${error}`, { cause: error });
  assert.equal(error.code, code, error.message);
  if (at !== undefined) assert.equal(error.at, at, error.message);
  assert.notMatch(error.message, /[\n\r]|\.$/, 'one line, no full stop');
  return error;
}

const made: string[] = [];

/** A new directory that `removeScratch` takes away. */
export function scratch(): string {
  const path = mkdtempSync(join(realpathSync(tmpdir()), 'portal-keys-'));
  made.push(path);
  return path;
}

export function removeScratch(): void {
  for (const path of made.splice(0)) rmSync(path, { recursive: true, force: true });
}

/** Makes a directory with exactly this mode, whatever the umask is. */
export function makeDirectory(path: string, mode = 0o755): string {
  mkdirSync(path, { recursive: true });
  chmodSync(path, mode);
  return path;
}

/** Writes a file with exactly this mode, whatever the umask is. */
export function write(path: string, content: Uint8Array | string, mode = 0o644): string {
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
}

/** A private key that is different for each number. */
export const secret = (number: number): Uint8Array => new Uint8Array(32).fill(number);
export const publicBytes = (number: number): Uint8Array => publicKeyOf(secret(number)).bytes;
export const fingerprint = (number: number): string => publicKeyOf(secret(number)).fingerprint;

export const thisUser = Number(process.geteuid?.());
export const runsAsRoot = thisUser === 0;
export const NOBODY = 65534;

/** Runs `act` as a user who may not read everything. */
export function asOrdinaryUser<T>(act: () => T): T {
  if (!runsAsRoot) return act();
  process.seteuid?.(NOBODY);
  try {
    return act();
  } finally {
    process.seteuid?.(0);
  }
}

/** A JSON file of published test values. */
export function vectors(name: string): unknown {
  const value: unknown = JSON.parse(readFileSync(vectorPath(name), 'utf8'));
  return value;
}

export function vectorPath(name: string): string {
  return join(import.meta.dirname, '..', 'vectors', name);
}

export const hex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'hex'));
export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
