// SPDX-License-Identifier: Apache-2.0
import { quote } from '../keys/error.ts';
import type { Keyring } from '../keys/keyring.ts';
import { parseSignature, verifySignature } from '../keys/verify.ts';
import { ManifestError } from './error.ts';
import { withKeyRefusals } from './key-refusal.ts';
import type { ManifestLimits } from './limits.ts';
import type { Manifest } from './manifest.ts';
import { readHead, readManifest } from './parse.ts';

export interface VerifiedManifest {
  readonly manifest: Manifest;
  /** SHA-256 of the public key that verified it, lower-case hexadecimal. */
  readonly keyFingerprint: string;
}

/**
 * The verification flow of the manifest specification. Throws ManifestError, which is how an app comes
 * to be in Tier 2 (step 7); a KeyError `SelfTestFailed` passes through, since then this process can verify nothing.
 */
export function verifyManifest(
  bytes: Uint8Array,
  keyring: Pick<Keyring, 'keysFor'>,
  limits: ManifestLimits,
): VerifiedManifest {
  // 1 the manifest is received: a document of the wrong shape is refused before any key counts
  const head = readHead(bytes, limits);
  // 2 the signature is taken out of the payload
  const signature = withKeyRefusals(() => parseSignature(head.raw.signature), '/signature');
  // 4 the app's trusted keys are looked up; during a rotation there are several. Before 3, which is most of the work:
  // whoever has no key here must not be able to make it be done
  const keys = withKeyRefusals(() => keyring.keysFor(head.appId), '/app_id');
  // 3 its canonical form is made, and what is malformed refused
  const manifest = readManifest(head, limits);
  // 5 one of them must have signed
  const signer = keys.find((key) => verifySignature(manifest.signedBytes, signature, key));
  // 7 otherwise the app falls back to Tier 2
  if (!signer) {
    throw new ManifestError(
      'SignatureWrong',
      '/signature',
      `no trusted key of ${quote(manifest.appId)} made this signature: sign the manifest again after its last change, ` +
        'or have the new public key installed first',
    );
  }
  // 6 accepted
  return { manifest, keyFingerprint: signer.fingerprint };
}
