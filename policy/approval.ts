// SPDX-License-Identifier: Apache-2.0
import type { Target, Targets } from './target.ts';

/** Everything that could change under an approval. A change in any of it makes another invocation. */
export interface ApprovedThing {
  /** To do it or to take it back: a yes to one is none to the other. */
  readonly kind: 'invoke' | 'undo';
  readonly capability: string;
  readonly version: string;
  readonly definitionDigest: string;
  readonly targets: Targets;
  /** The validated parameters in canonical form (RFC 8785): spelling and key order do not matter. */
  readonly canonicalParams: Uint8Array;
  /** The provider's connection, so that another process cannot step in under the same name. */
  readonly provider: string;
  readonly caller: string;
}

/** A keyed hash; keyed, since a plain one of short parameters can be guessed. Supplied by the broker. */
export type Mac = (bytes: Uint8Array) => string;

/** The digest an approval is bound to. */
export function invocationDigest(thing: ApprovedThing, mac: Mac): string {
  const targets =
    thing.targets === 'undetermined'
      ? []
      : thing.targets.flatMap((target: Target) => [target.kind, target.value]);
  return mac(
    lengthDelimited([
      thing.kind,
      thing.capability,
      thing.version,
      thing.definitionDigest,
      thing.provider,
      thing.caller,
      thing.canonicalParams,
      ...targets,
    ]),
  );
}

/** Each part behind its length, so that no two lists of parts have the same bytes. */
export function lengthDelimited(parts: readonly (string | Uint8Array)[]): Uint8Array {
  const encoder = new TextEncoder();
  const encoded = parts.map((part) => (typeof part === 'string' ? encoder.encode(part) : part));
  const bytes = new Uint8Array(encoded.reduce((sum, part) => sum + 4 + part.length, 4));
  const view = new DataView(bytes.buffer);
  view.setUint32(0, encoded.length);
  let offset = 4;
  for (const part of encoded) {
    view.setUint32(offset, part.length);
    bytes.set(part, offset + 4);
    offset += 4 + part.length;
  }
  return bytes;
}
