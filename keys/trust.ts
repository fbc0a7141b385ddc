// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { unlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { currentUser, isSafeDirectory, lstatEntry, type Owners, readAnchorFile } from './anchor-file.ts';
import type { AppId } from './app-id.ts';
import { makeDirectory, replaceFile } from './atomic-file.ts';
import { KeyError, quote } from './error.ts';
import { KEY_BYTES, keyFile, rotationFiles, rotationFolder } from './key-files.ts';
import { parsePublicKey } from './public-key.ts';
import { readRevokedList } from './revoked.ts';

const READABLE_BY_ALL = 0o644;

export interface InstallKey {
  /** A trusted directory of the keyring; it must exist. */
  readonly directory: string;
  readonly appId: AppId;
  /** 32 raw bytes. */
  readonly publicKeyBytes: Uint8Array;
  /** Install beside the present key (`{app_id}.d/{fingerprint}.pub`), so that both count until the old one is removed. */
  readonly rotating?: boolean;
  /** The uids that may own the directory; the effective user unless given. */
  readonly owners?: Owners;
}

/**
 * Makes a public key trusted for an app: at once, and replacing `{app_id}.pub` unless `rotating`.
 * @returns the path of the key file
 * @throws KeyError `KeyMalformed`, `KeyWeak`; `KeyMissing` or `KeyUnsafe` for the directory
 */
export function installKey({
  directory,
  appId,
  publicKeyBytes,
  rotating = false,
  owners = [currentUser()],
}: InstallKey): string {
  const key = parsePublicKey(publicKeyBytes);
  requireDirectory(directory, owners);
  const folder = rotationFolder(directory, appId);
  if (rotating) {
    makeDirectory(folder, 0o755);
    requireDirectory(folder, owners);
  }
  const path = rotating ? join(folder, `${key.fingerprint}.pub`) : keyFile(directory, appId);
  const temporary = join(dirname(path), `.new-${randomBytes(8).toString('hex')}`);
  replaceFile({ path, temporary, content: () => key.bytes, mode: READABLE_BY_ALL });
  return path;
}

export interface RemoveKey {
  readonly directory: string;
  readonly appId: AppId;
  /** Only the files that hold this key; all of the app's otherwise. */
  readonly fingerprint?: string;
  readonly owners?: Owners;
}

/**
 * Ends the trust in an app's keys in one directory. A package's directory after it may still hold one: `revoke` masks them all.
 * @returns the paths removed, at least one
 * @throws KeyError `KeyMissing` when there is nothing to remove, `KeyUnsafe` for the directory
 */
export function removeKey({
  directory,
  appId,
  fingerprint,
  owners = [currentUser()],
}: RemoveKey): readonly string[] {
  requireDirectory(directory, owners);
  const folder = rotationFolder(directory, appId);
  const doomed = [
    keyFile(directory, appId),
    ...(isSafeDirectory(folder, owners) ? rotationFiles(folder) : []),
  ].filter(
    (path) =>
      lstatEntry(path) !== undefined && (fingerprint === undefined || holds(path, fingerprint, owners)),
  );
  if (doomed.length === 0) {
    throw new KeyError(
      'KeyMissing',
      `there is no such key for ${quote(appId)} in ${quote(directory)}`,
      directory,
    );
  }
  for (const path of doomed) unlinkSync(path);
  return doomed;
}

export interface Revoke {
  readonly revokedFile: string;
  /** The fingerprint or the raw public key: 64 hexadecimal digits. */
  readonly fingerprint: string;
  /** Why, for whoever reads the list; one line. */
  readonly comment?: string;
  readonly owners?: Owners;
}

/**
 * Adds a key to the revoked list, which masks every trusted directory at once.
 *
 * The new list is written under one fixed name, which must not exist: two revocations at the same time cannot lose one of them.
 * @throws KeyError `KeyMalformed` (fingerprint, comment, or the present list), `KeyUnsafe`, `KeyExists` while another one is under way
 */
export function revoke({ revokedFile, fingerprint, comment = '', owners = [currentUser()] }: Revoke): void {
  if (!/^[0-9a-f]{64}$/i.test(fingerprint)) {
    throw new KeyError('KeyMalformed', `${quote(fingerprint)} is no fingerprint of 64 hexadecimal digits`);
  }
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(comment)) {
    throw new KeyError('KeyMalformed', `the comment ${quote(comment)} must be one line of text`);
  }
  requireDirectory(dirname(revokedFile), owners);
  const temporary = join(dirname(revokedFile), `.${basename(revokedFile)}.new`);
  replaceFile({
    path: revokedFile,
    temporary,
    mode: READABLE_BY_ALL,
    content: () => withEntry(readRevokedList(revokedFile, owners).text, fingerprint, comment),
  });
}

function withEntry(text: string, fingerprint: string, comment: string): Uint8Array {
  const before = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  const entry = comment === '' ? fingerprint.toLowerCase() : `${fingerprint.toLowerCase()} # ${comment}`;
  return new TextEncoder().encode(`${before}${entry}\n`);
}

function requireDirectory(directory: string, owners: Owners): void {
  if (!isSafeDirectory(directory, owners)) {
    throw new KeyError(
      'KeyMissing',
      `the directory ${quote(directory)} does not exist: make it first`,
      directory,
    );
  }
}

function holds(path: string, fingerprint: string, owners: Owners): boolean {
  try {
    return parsePublicKey(readAnchorFile(path, owners, KEY_BYTES).bytes).fingerprint === fingerprint;
  } catch {
    return false;
  }
}
