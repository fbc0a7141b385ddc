// SPDX-License-Identifier: Apache-2.0
import { Point, verify } from './ed25519.ts';
import { KeyError } from './error.ts';
import { type PublicKey, parsePublicKey } from './public-key.ts';

const SIGNATURE_BYTES = 64;
// `Buffer.from(text, 'base64')` skips junk, takes two alphabets and ignores left-over bits, so one signature would have endless
// spellings. 64 bytes are 86 digits of which the last carries two bits.
const SIGNATURE = /^ed25519:([A-Za-z0-9+/]{85}[AQgw]==)$/;

/** RFC 8032 7.1, TEST 2. */
const KNOWN = {
  key: Buffer.from('3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c', 'hex'),
  message: Buffer.from('72', 'hex'),
  signature: Buffer.from(
    '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
    'hex',
  ),
};
let selfTestPassed = false;

/**
 * Reads a manifest's `signature`: `ed25519:` and the canonical standard base64 of 64 bytes, nothing else.
 * @throws KeyError `SignatureMissing` (absent or null) or `SignatureMalformed`
 */
export function parseSignature(text: unknown): Uint8Array {
  if (text === undefined || text === null) {
    throw new KeyError('SignatureMissing', 'there is no signature: sign it first', '/signature');
  }
  const base64 = typeof text === 'string' ? SIGNATURE.exec(text)?.[1] : undefined;
  if (base64 === undefined) {
    throw new KeyError(
      'SignatureMalformed',
      'the signature must be `ed25519:` and the 88 characters of standard base64 of 64 bytes',
      '/signature',
    );
  }
  return Uint8Array.from(Buffer.from(base64, 'base64'));
}

/**
 * Whether `signature` (64 bytes) is `key`'s on `message`, strictly: RFC 8032 5.1.7 with S < L, and with a canonical R that is not of
 * small order. The cofactored equation of the library agrees with the plain one here but for an R with a torsion part, which only the
 * holder of the private key can make.
 * @throws KeyError `SelfTestFailed` when this process cannot verify a known signature: it then verifies nothing
 */
export function verifySignature(message: Uint8Array, signature: Uint8Array, key: PublicKey): boolean {
  if (!selfTestPassed) selfTest();
  return strictVerify(message, signature, key);
}

/**
 * One known signature must verify and a changed one must not. Runs by itself before the first verification of a process; calling it
 * at start-up moves its cost (tables for the base point) out of the first request.
 * @throws KeyError `SelfTestFailed`
 */
export function selfTest(): void {
  selfTestPassed = false;
  const key = parsePublicKey(KNOWN.key);
  const changed = Uint8Array.of(...KNOWN.message, 0);
  if (!strictVerify(KNOWN.message, KNOWN.signature, key) || strictVerify(changed, KNOWN.signature, key)) {
    throw new KeyError(
      'SelfTestFailed',
      'signatures cannot be verified here: a known one gave the wrong answer',
    );
  }
  selfTestPassed = true;
}

function strictVerify(message: Uint8Array, signature: Uint8Array, key: PublicKey): boolean {
  if (signature.length !== SIGNATURE_BYTES) return false;
  try {
    if (Point.fromBytes(signature.subarray(0, 32), false).isSmallOrder()) return false;
  } catch {
    return false;
  }
  return verify(signature, message, key.bytes, { zip215: false });
}
