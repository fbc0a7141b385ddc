// SPDX-License-Identifier: Apache-2.0
import { canonicalBytes } from '../keys/canonical-json.ts';
import type { Capability } from './capability.ts';
import { definitionDigest, parseDefinition } from './definition.ts';
import { ManifestError } from './error.ts';
import { parseBuiltinId } from './id.ts';
import type { ManifestLimits } from './limits.ts';
import { isObject } from './schema-keywords.ts';
import { checkCapabilityShape } from './shape.ts';

const ACCESS_OF: Readonly<Record<string, string>> = {
  none: 'read',
  read: 'read',
  write: 'write',
  destructive: 'write',
  network: 'write',
  system: 'write',
};

/**
 * A capability compiled into the broker: the same rules as for an app's, but a two-part id, and `access` (`read` or
 * `write`) and `network` (`local` or `external`) both stated, so that each is a reviewed choice. Throws ManifestError.
 */
export function parseBuiltin(raw: unknown, limits: ManifestLimits): Capability {
  const { access, network, ...declared } = isObject(raw) ? raw : {};
  if (access !== 'read' && access !== 'write') {
    throw new ManifestError('AccessInvalid', '/access', 'the access is not stated: write `read` or `write`');
  }
  if (network !== 'local' && network !== 'external') {
    throw new ManifestError(
      'AccessInvalid',
      '/network',
      'the network is not stated: write `local` or `external`',
    );
  }
  const capability = { side_effects: access, ...declared, ...(network === 'external' ? { network } : {}) };
  checkCapabilityShape(capability, '');
  if (ACCESS_OF[capability.side_effects] !== access) {
    const message = `the side effects \`${capability.side_effects}\` do not go with the access \`${access}\`: correct one`;
    throw new ManifestError('AccessInvalid', '/side_effects', message);
  }
  if (capability.side_effects === 'network' && network === 'local') {
    throw new ManifestError(
      'AccessInvalid',
      '/network',
      'side effects on the network are not local: write `external`',
    );
  }
  return parseDefinition(
    capability,
    parseBuiltinId(capability.id, '/id'),
    definitionDigest('', canonicalBytes(raw)),
    '',
    limits,
  );
}
