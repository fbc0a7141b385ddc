// SPDX-License-Identifier: Apache-2.0
import { hash } from 'node:crypto';
import { Point } from './ed25519.ts';
import { KeyError, type KeyErrorCode } from './error.ts';
import { KEY_BYTES } from './key-files.ts';

const REMEMBERED_KEYS = 1024;

/** An Ed25519 public key that has passed every check of `parsePublicKey`, the only maker of one. */
class PublicKey {
  readonly #bytes: Uint8Array;
  /** SHA-256 of the 32 bytes, lower-case hexadecimal. */
  readonly fingerprint: string;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes.slice();
    this.fingerprint = hash('sha256', bytes);
  }

  /** A copy: nobody can change the key that was checked. */
  get bytes(): Uint8Array {
    return this.#bytes.slice();
  }
}

// Only the type leaves this file, and the private field makes a look-alike a compile error.
export type { PublicKey };

type Verdict = PublicKey | { readonly refused: KeyErrorCode; readonly message: string };
// The torsion check costs about a third of a verification, and its answer depends on the bytes alone: remembered by them.
const verdicts = new Map<string, Verdict>();

/**
 * Checks 32 raw bytes as an Ed25519 public key: canonical encoding (RFC 8032 5.1.3), not of small order, and in the prime-order
 * subgroup. For a small-order key (a zero-filled file is one) signatures can be forged without any private key; a mixed-order key
 * makes verifiers disagree.
 * @param at the file or place to name in the error
 * @throws KeyError `KeyMalformed` (length, encoding) or `KeyWeak` (order)
 */
export function parsePublicKey(bytes: Uint8Array, at?: string): PublicKey {
  if (bytes.length !== KEY_BYTES) {
    throw new KeyError('KeyMalformed', 'a public key is exactly 32 raw bytes', at);
  }
  const id = Buffer.from(bytes).toString('hex');
  const verdict = verdicts.get(id) ?? judge(bytes);
  remember(id, verdict);
  if ('refused' in verdict) throw new KeyError(verdict.refused, verdict.message, at);
  return verdict;
}

function judge(bytes: Uint8Array): Verdict {
  let point: Point;
  try {
    point = Point.fromBytes(bytes, false);
  } catch {
    return {
      refused: 'KeyMalformed',
      message: 'the bytes are not the canonical form of a point on the curve',
    };
  }
  if (point.isSmallOrder()) {
    return {
      refused: 'KeyWeak',
      message: 'the key has small order: anybody could sign for it, make a new one',
    };
  }
  if (!point.isTorsionFree()) {
    return {
      refused: 'KeyWeak',
      message: 'the key has mixed order: verifiers would disagree, make a new one',
    };
  }
  return new PublicKey(bytes);
}

function remember(id: string, verdict: Verdict): void {
  if (verdicts.size >= REMEMBERED_KEYS) verdicts.clear();
  verdicts.set(id, verdict);
}
