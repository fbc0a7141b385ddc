// SPDX-License-Identifier: Apache-2.0
import { type BigIntStats, closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { KeyError, quote } from './error.ts';

/** Who may own what trust rests on. Root always may: it can write everything anyway. */
export type Owners = readonly number[];

const WRITABLE_BY_OTHERS = 0o022n;
const READABLE_BY_OWNER = 0o400n;
const STICKY = 0o1000n;

/** What lies at a path, itself, without following a link. Undefined when nothing does. */
export function lstatEntry(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (cause) {
    // No file can have a name this long.
    if (errorCode(cause) === 'ENAMETOOLONG') return undefined;
    throw unsafe(path, `cannot be looked at (${errorCode(cause)})`, cause);
  }
}

/**
 * Whether the directory is there. Nobody but the owners may be able to put another one in its place, so every directory above it counts
 * too; above it, a sticky one (`/tmp`) is as good, since there only an entry's owner can replace it. A link anywhere is refused.
 * @throws KeyError `KeyUnsafe`, naming the directory at fault
 */
export function isSafeDirectory(path: string, owners: Owners): boolean {
  const whole = resolve(path);
  for (const place of [...ancestors(whole), whole]) {
    const stats = lstatEntry(place);
    if (stats === undefined) return false;
    if (!stats.isDirectory()) throw unsafe(place, 'is not a directory: configure the real path');
    refuseForeignOwner(place, stats, owners);
    const guarded = place !== whole && (stats.mode & STICKY) !== 0n;
    if ((stats.mode & WRITABLE_BY_OTHERS) !== 0n && !guarded) {
      throw unsafe(place, 'is writable by group or others: `chmod go-w` it');
    }
  }
  return true;
}

/** What one reading of a trusted file found: the bytes, and the state of the file when they were read. */
export interface AnchorFile {
  readonly bytes: Uint8Array;
  readonly stats: BigIntStats;
}

/**
 * Reads a small file that trust rests on. The directory must have passed `isSafeDirectory`: then only owners can change what the name
 * stands for, and the open file is judged again.
 * @throws KeyError `KeyMissing`, `KeyUnsafe` (kind, owner, mode), `KeyMalformed` (longer than `maxBytes`)
 */
export function readAnchorFile(path: string, owners: Owners, maxBytes: number): AnchorFile {
  const entry = lstatEntry(path);
  if (entry === undefined) throw new KeyError('KeyMissing', `${quote(path)} does not exist`, path);
  // Judged before it is opened, since opening a device can have effects of its own, and again once it is open, since it may be another.
  judge(path, entry, owners, maxBytes);
  const file = openEntry(path);
  try {
    const stats = fstatSync(file, { bigint: true });
    judge(path, stats, owners, maxBytes);
    return { bytes: readAll(file, Number(stats.size)), stats };
  } finally {
    closeSync(file);
  }
}

function judge(path: string, stats: BigIntStats, owners: Owners, maxBytes: number): void {
  if (!stats.isFile()) throw unsafe(path, 'is not a regular file');
  refuseForeignOwner(path, stats, owners);
  if ((stats.mode & WRITABLE_BY_OTHERS) !== 0n) {
    throw unsafe(path, 'is writable by group or others: `chmod go-w` it');
  }
  // Root reads a file of mode 0000 all the same, yet whoever set that mode meant to take it away.
  if ((stats.mode & READABLE_BY_OWNER) === 0n) throw unsafe(path, 'is not readable by its owner');
  if (stats.size > maxBytes) {
    throw new KeyError('KeyMalformed', `${quote(path)} is longer than ${maxBytes} bytes`, path);
  }
}

/** Neither follows a link nor waits for the other end of a pipe, should the entry have been exchanged meanwhile. */
function openEntry(path: string): number {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (cause) {
    throw unsafe(path, `cannot be opened (${errorCode(cause)})`, cause);
  }
}

function readAll(file: number, size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  const length = size === 0 ? 0 : readSync(file, bytes, 0, size, 0);
  return bytes.subarray(0, length);
}

function refuseForeignOwner(path: string, stats: BigIntStats, owners: Owners): void {
  const uid = Number(stats.uid);
  if (uid !== 0 && !owners.includes(uid)) throw unsafe(path, `belongs to uid ${uid}, who may not own it`);
}

/** The directories above an absolute path, from `/` down. */
function ancestors(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [] : [...ancestors(parent), parent];
}

/** The effective user, who owns what this process writes. */
export function currentUser(): number {
  return Number(process.geteuid?.());
}

export function errorCode(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
}

function unsafe(path: string, what: string, cause?: unknown): KeyError {
  return new KeyError('KeyUnsafe', `${quote(path)} ${what}`, path, cause);
}
