// SPDX-License-Identifier: Apache-2.0
import { canonicalBytes } from '../keys/canonical-json.ts';
import type { RawManifest } from './shape.ts';

/**
 * The bytes a signature covers, put together from the capabilities' own canonical forms. RFC 8785 3.2.3 writes an object
 * as its members in the order of their names, each member by itself, so this is the canonical form of the whole without
 * `signature`; each capability is then written once for its digest and for the signature together.
 */
export function assembleSignedBytes(raw: RawManifest, capabilities: readonly Uint8Array[]): Uint8Array {
  const { signature: _, ...signed } = raw;
  const members = Object.entries(signed)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => {
      const written = name === 'capabilities' ? joined('[', capabilities, ']') : canonicalBytes(value);
      return Buffer.concat([canonicalBytes(name), Buffer.from(':'), written]);
    });
  return joined('{', members, '}');
}

function joined(open: string, parts: readonly Uint8Array[], close: string): Uint8Array {
  const comma = Buffer.from(',');
  const between = parts.flatMap((part, index) => (index === 0 ? [part] : [comma, part]));
  return Buffer.concat([Buffer.from(open), ...between, Buffer.from(close)]);
}
