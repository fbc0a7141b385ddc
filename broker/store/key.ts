// SPDX-License-Identifier: Apache-2.0
import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { asStoreError, StoreError } from './error.ts';
import { type Identity, isSafeFile } from './safety.ts';

/** What a key is derived for. Each purpose has its own, so that a value made for one proves nothing for another. */
export type KeyPurpose = 'audit chain' | 'audit anchor' | 'commitment';

const KEY_BYTES = 32;

/** The key for one purpose: HMAC-SHA256(the store's key, `portal <purpose> 1`). */
export function deriveKey(key: KeyObject, purpose: KeyPurpose): KeyObject {
  return createSecretKey(createHmac('sha256', key).update(`portal ${purpose} 1`).digest());
}

/** Reads a key file of exactly 32 bytes. Who may read it is the caller's question. */
export function readKey(path: string): KeyObject {
  const bytes = readKeyBytes(path);
  if (bytes.length !== KEY_BYTES) {
    throw new StoreError(
      'StoreUnsafe',
      `the key \`${path}\` has ${bytes.length} bytes instead of ${KEY_BYTES}`,
    );
  }
  return createSecretKey(bytes);
}

function readKeyBytes(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw asStoreError(error, `reading the key \`${path}\``);
  }
}

/**
 * The store's key, made when there is none yet. With `mustExist` a missing key is refused: a new one could not show
 * that the events already there are genuine, so making it would hide a loss.
 */
export function loadKey(path: string, own: Identity, mustExist: boolean): KeyObject {
  if (isSafeFile(path, own)) return readKey(path);
  if (mustExist) {
    throw new StoreError(
      'StoreCorrupt',
      `the store has events but \`${path}\` is missing: restore it from a backup`,
    );
  }
  try {
    createKey(path);
  } catch (error) {
    throw asStoreError(error, `making the key \`${path}\``);
  }
  return readKey(path);
}

/** Whole or not at all, and never over an existing one: written aside, synced, then linked, which refuses an old name. */
function createKey(path: string): void {
  const aside = `${path}.new`;
  rmSync(aside, { force: true });
  const file = openSync(aside, 'wx', 0o600);
  try {
    writeSync(file, randomBytes(KEY_BYTES));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  linkSync(aside, path);
  rmSync(aside);
  const directory = openSync(dirname(path), 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
