// SPDX-License-Identifier: Apache-2.0
import { accessSync, constants, lstatSync, mkdirSync, type Stats } from 'node:fs';
import { dirname, isAbsolute } from 'node:path';
import { asStoreError, StoreError } from './error.ts';

/** The user and the primary group this process acts as. */
export interface Identity {
  readonly uid: number;
  readonly gid: number;
}

const GROUP_WRITE = 0o020;
const OTHER_WRITE = 0o002;
const GROUP_OR_OTHER = 0o077;
const ROOT = 0;

/** This process, as the kernel checks it when files are opened. */
export function ownIdentity(): Identity {
  return { uid: process.geteuid?.() ?? ROOT, gid: process.getegid?.() ?? ROOT };
}

/**
 * Makes the directory (0700) when it is missing and refuses one that somebody else could change.
 * A group may write only where root owns the directory and the group is our own primary one: that is the set-up in which
 * other programs of the same user are kept out, because they cannot have that group.
 */
export function prepareDirectory(path: string, own: Identity): void {
  if (!isAbsolute(path))
    throw new StoreError('StoreUnsafe', `the store directory \`${path}\` must be absolute`);
  orStoreError(`making \`${path}\``, () => makeDirectory(path));
  const found = lstatSync(path);
  if (!found.isDirectory())
    throw new StoreError('StoreUnsafe', `\`${path}\` is not a directory; a link is refused too`);
  checkOwner(path, found, own);
  const groupIsOurs = found.uid === ROOT && found.gid === own.gid;
  if (found.mode & OTHER_WRITE || (found.mode & GROUP_WRITE && !groupIsOurs)) {
    throw new StoreError('StoreUnsafe', `others can write \`${path}\`: run \`chmod 700\` on it`);
  }
  orStoreError(`writing \`${path}\``, () => accessSync(path, constants.W_OK));
}

function orStoreError(doing: string, run: () => void): void {
  try {
    run();
  } catch (error) {
    throw asStoreError(error, doing);
  }
}

function makeDirectory(path: string): void {
  // The last one apart: made recursively, Node reports a read-only disk as a missing directory.
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  mkdirSync(path, { mode: 0o700 });
}

/**
 * Whether the file exists; refuses one that is not a plain file of ours (or root's) readable by us alone.
 * Looks without opening: closing any descriptor of a database file would drop the locks SQLite holds on it.
 */
export function isSafeFile(path: string, own: Identity): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return false;
  if (!found.isFile())
    throw new StoreError('StoreUnsafe', `\`${path}\` is not a plain file; a link is refused too`);
  checkOwner(path, found, own);
  if (found.mode & GROUP_OR_OTHER) {
    throw new StoreError('StoreUnsafe', `others can read or write \`${path}\`: run \`chmod 600\` on it`);
  }
  return true;
}

function checkOwner(path: string, found: Stats, own: Identity): void {
  if (found.uid !== own.uid && found.uid !== ROOT) {
    throw new StoreError('StoreUnsafe', `\`${path}\` belongs to user ${found.uid}, neither us nor root`);
  }
}
