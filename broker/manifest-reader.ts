// SPDX-License-Identifier: Apache-2.0
import { type AppId, parseAppId } from '../keys/app-id.ts';
import { KeyError } from '../keys/error.ts';
import type { Keyring } from '../keys/keyring.ts';
import { parseStrictJson } from '../keys/strict-json.ts';
import { readHead, readManifest } from '../manifests/parse.ts';
import { verifyManifest } from '../manifests/verify.ts';
import type { BrokerConfig } from './config.ts';
import type { Accepted } from './registration.ts';

interface ManifestReader {
  /** Reads and verifies. @throws ManifestError */
  accept(bytes: Uint8Array): Accepted;
  /** The app that a refused manifest speaks of, so that the refusal can be shown; undefined when it cannot be read. */
  claimed(bytes: Uint8Array): AppId | undefined;
}

/** How this broker reads manifests; in development it accepts one that does not claim to be signed. */
export function manifestReader(
  keyring: Pick<Keyring, 'keysFor'>,
  config: Pick<BrokerConfig, 'manifests' | 'development'>,
): ManifestReader {
  const { manifests: limits, development } = config;
  return {
    accept(bytes) {
      if (development?.acceptUnsigned === true) {
        const head = readHead(bytes, limits);
        if (head.raw.signature === undefined || head.raw.signature === null)
          return { manifest: readManifest(head, limits), keyFingerprint: undefined };
      }
      return verifyManifest(bytes, keyring, limits);
    },
    claimed(bytes) {
      try {
        const document = parseStrictJson(bytes, limits);
        const named =
          typeof document === 'object' && document !== null && 'app_id' in document
            ? document.app_id
            : undefined;
        return parseAppId(named);
      } catch (error) {
        if (error instanceof KeyError) return undefined;
        throw error;
      }
    },
  };
}
