// SPDX-License-Identifier: Apache-2.0
import { KeyError, type KeyErrorCode } from '../keys/error.ts';
import { ManifestError, type ManifestErrorCode } from './error.ts';

const CODES: Partial<Record<KeyErrorCode, ManifestErrorCode>> = {
  JsonMalformed: 'JsonMalformed',
  AppIdInvalid: 'AppIdInvalid',
  SignatureMissing: 'SignatureMissing',
  SignatureMalformed: 'SignatureMalformed',
  KeyMissing: 'KeyMissing',
  KeyUnsafe: 'KeyUnusable',
  KeyMalformed: 'KeyUnusable',
  KeyWeak: 'KeyUnusable',
  KeyRevoked: 'KeyUnusable',
};

/**
 * Runs a step of `keys` and turns its refusals of a document or a key, which already say what to do, into ours. `pointer`
 * is the place in the manifest, where the refusal does not name one. A failed self-test and any fault pass through.
 */
export function withKeyRefusals<T>(step: () => T, pointer?: string): T {
  try {
    return step();
  } catch (error) {
    if (!(error instanceof KeyError)) throw error;
    const code = CODES[error.code];
    if (code === undefined) throw error;
    throw new ManifestError(code, pointer ?? error.at ?? '', error.message, error);
  }
}
