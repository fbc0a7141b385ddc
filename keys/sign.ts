// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { currentUser, readAnchorFile } from './anchor-file.ts';
import type { AppId } from './app-id.ts';
import { createFile, makeDirectory, replaceFile } from './atomic-file.ts';
import { getPublicKey, sign } from './ed25519.ts';
import { KeyError, quote } from './error.ts';
import { KEY_BYTES, keyFile } from './key-files.ts';
import { type PublicKey, parsePublicKey } from './public-key.ts';

const SEEN_BY_OTHERS = 0o077n;

export interface GenerateOptions {
  /** The home directory that `.config` is in. */
  readonly home: string;
  /** Where the secret comes from; the operating system's generator unless a test says otherwise. */
  readonly random?: (size: number) => Uint8Array;
}

export interface KeyPairPaths {
  readonly privateKeyPath: string;
  readonly publicKeyPath: string;
}

/**
 * Makes a developer's key pair: `~/.config/portal-{app_id}/ed25519.key` (32 raw bytes, 0600, in a directory of 0700) and the public
 * half beside it as `{app_id}.pub` (0644), whatever the umask is.
 * @throws KeyError `KeyExists` when there is a private key already, `KeyUnsafe` when others can reach the directory
 */
export function generate(appId: AppId, { home, random = randomBytes }: GenerateOptions): KeyPairPaths {
  const directory = join(home, '.config', `portal-${appId}`);
  makePrivateDirectory(directory);
  const privateKeyPath = join(directory, 'ed25519.key');
  const publicKeyPath = keyFile(directory, appId);
  const temporary = join(directory, `.new-${randomBytes(8).toString('hex')}`);
  const privateKey = Uint8Array.from(random(KEY_BYTES));
  createFile({ path: privateKeyPath, temporary, content: () => privateKey, mode: 0o600 });
  replaceFile({ path: publicKeyPath, temporary, content: () => publicKeyOf(privateKey).bytes, mode: 0o644 });
  privateKey.fill(0);
  return { privateKeyPath, publicKeyPath };
}

/**
 * Reads a private key, refusing one that anybody else could have read or replaced.
 * @throws KeyError `KeyMissing`, `KeyUnsafe` (link, kind, owner, mode, second name), `KeyMalformed` (not 32 bytes)
 */
export function readPrivateKey(path: string): Uint8Array {
  const { bytes, stats } = readAnchorFile(path, [currentUser()], KEY_BYTES);
  if ((stats.mode & SEEN_BY_OTHERS) !== 0n) {
    throw new KeyError(
      'KeyUnsafe',
      `${quote(path)} is open to others: \`chmod 600\` it, or better make a new key`,
      path,
    );
  }
  if (stats.nlink !== 1n)
    throw new KeyError('KeyUnsafe', `${quote(path)} has a second name (a hard link)`, path);
  if (bytes.length !== KEY_BYTES) {
    throw new KeyError('KeyMalformed', `${quote(path)} is not a private key of 32 raw bytes`, path);
  }
  return bytes;
}

/** Signs with 32 raw private bytes (RFC 8032 5.1.6); the result is the manifest's `signature`. */
export function signBytes(message: Uint8Array, privateKey: Uint8Array): string {
  return `ed25519:${Buffer.from(sign(message, privateKey)).toString('base64')}`;
}

/** The public half of 32 raw private bytes. */
export function publicKeyOf(privateKey: Uint8Array): PublicKey {
  return parsePublicKey(getPublicKey(privateKey));
}

function makePrivateDirectory(directory: string): void {
  mkdirSync(join(directory, '..'), { recursive: true, mode: 0o700 });
  makeDirectory(directory, 0o700);
  const stats = lstatSync(directory, { bigint: true });
  if (!stats.isDirectory() || Number(stats.uid) !== currentUser() || (stats.mode & SEEN_BY_OTHERS) !== 0n) {
    throw new KeyError(
      'KeyUnsafe',
      `${quote(directory)} must be a directory of your own with mode 0700`,
      directory,
    );
  }
}
