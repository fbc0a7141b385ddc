// SPDX-License-Identifier: Apache-2.0
import { dirname } from 'node:path';
import { isSafeDirectory, lstatEntry, type Owners, readAnchorFile } from './anchor-file.ts';
import { KeyError, quote } from './error.ts';
import type { PublicKey } from './public-key.ts';

const LONGEST_LIST = 1024 * 1024;
const ENTRY = /^([0-9a-fA-F]{64})?[ \t]*(?:#.*)?\r?$/;

/** The keys that nothing may be verified with any more, wherever they are still installed. */
export interface RevokedList {
  readonly text: string;
  has(key: PublicKey): boolean;
}

/**
 * Reads the revoked list: on each line a fingerprint or a raw public key, 64 hexadecimal digits, and `#` before a comment. An absent list
 * is empty, but only where nobody else could have removed it.
 * @throws KeyError `KeyUnsafe` or `KeyMalformed`: a list that cannot be trusted must not look like an empty one
 */
export function readRevokedList(path: string, owners: Owners): RevokedList {
  const present = isSafeDirectory(dirname(path), owners) && lstatEntry(path) !== undefined;
  if (!present) return { text: '', has: () => false };
  const { bytes } = readAnchorFile(path, owners, LONGEST_LIST);
  const text = Buffer.from(bytes).toString('utf8');
  const entries = parseEntries(text, path);
  return {
    text,
    has: (key) => entries.has(key.fingerprint) || entries.has(Buffer.from(key.bytes).toString('hex')),
  };
}

function parseEntries(text: string, path: string): ReadonlySet<string> {
  const entries = new Set<string>();
  for (const [index, line] of text.split('\n').entries()) {
    const match = ENTRY.exec(line);
    if (match === null) {
      throw new KeyError(
        'KeyMalformed',
        `line ${index + 1} of ${quote(path)} is no fingerprint of 64 hexadecimal digits: nothing is trusted until it is mended`,
        path,
      );
    }
    if (match[1] !== undefined) entries.add(match[1].toLowerCase());
  }
  return entries;
}
