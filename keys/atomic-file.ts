// SPDX-License-Identifier: Apache-2.0
import {
  chmodSync,
  closeSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from './anchor-file.ts';
import { KeyError, quote } from './error.ts';

export interface AtomicWrite {
  readonly path: string;
  /** A path in the same directory that nobody else uses meanwhile; it must not exist. */
  readonly temporary: string;
  /** The content, asked for once the temporary path is ours: what it is made from cannot change under another writer. */
  readonly content: () => Uint8Array;
  /** The exact mode, whatever the umask is. */
  readonly mode: number;
}

/**
 * Puts a whole file in place at once, on the disk before this returns: a reader sees the old one or the new one, never an empty one.
 * @throws KeyError `KeyExists` when the temporary path exists
 */
export function replaceFile(write: AtomicWrite): void {
  writeTemporary(write);
  try {
    renameSync(write.temporary, write.path);
  } catch (cause) {
    unlinkSync(write.temporary);
    throw cause;
  }
  syncDirectory(write.path);
}

/**
 * The same for a file that must be new: whatever is at `path`, even a dangling link, stays as it is.
 * @throws KeyError `KeyExists`
 */
export function createFile(write: AtomicWrite): void {
  writeTemporary(write);
  try {
    linkSync(write.temporary, write.path);
  } catch (cause) {
    throw errorCode(cause) === 'EEXIST' ? exists(write.path, cause) : cause;
  } finally {
    unlinkSync(write.temporary);
  }
  syncDirectory(write.path);
}

function writeTemporary({ temporary, content, mode }: AtomicWrite): void {
  const file = openNew(temporary);
  try {
    fchmodSync(file, mode);
    writeFileSync(file, content());
    fsyncSync(file);
  } catch (cause) {
    unlinkSync(temporary);
    throw cause;
  } finally {
    closeSync(file);
  }
}

function openNew(path: string): number {
  try {
    return openSync(path, 'wx', 0o600);
  } catch (cause) {
    throw errorCode(cause) === 'EEXIST' ? exists(path, cause) : cause;
  }
}

/** Makes a directory with exactly this mode; whatever is there already stays as it is, for the caller to judge. */
export function makeDirectory(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode });
    chmodSync(path, mode);
  } catch (cause) {
    if (errorCode(cause) !== 'EEXIST') throw cause;
  }
}

/** A rename is on the disk only when its directory is. */
function syncDirectory(path: string): void {
  const directory = openSync(dirname(path), 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

function exists(path: string, cause: unknown): KeyError {
  return new KeyError('KeyExists', `${quote(path)} exists already: move it away first`, path, cause);
}
