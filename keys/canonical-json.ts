// SPDX-License-Identifier: Apache-2.0
import canonicalize from 'canonicalize';
import { KeyError } from './error.ts';
import { plainCanonicalText } from './plain-canonical.ts';

const UTF8 = new TextEncoder();

/**
 * The one spelling of a JSON value that is signed and hashed: RFC 8785, in UTF-8.
 *
 * Give it what `parseStrictJson` returned. Anything else that JSON cannot say is written as `JSON.stringify` would (a member that is
 * undefined vanishes, a `toJSON` function is called); text that two values share after that is the caller's mistake.
 * @throws KeyError `JsonMalformed` for what has no canonical form: a cycle, a lone surrogate, NaN, an infinity, undefined
 */
export function canonicalBytes(value: unknown): Uint8Array {
  let text: string | undefined;
  try {
    text = plainCanonicalText(value) ?? canonicalize(value);
  } catch (cause) {
    throw new KeyError('JsonMalformed', 'the value has no canonical form', '', cause);
  }
  if (text === undefined) throw new KeyError('JsonMalformed', 'the value has no canonical form', '');
  return UTF8.encode(text);
}

/** The bytes a manifest's signature covers: its canonical form without the top-level `signature`, and only that one. */
export function signedBytes(manifest: Readonly<Record<string, unknown>>): Uint8Array {
  const { signature: _, ...signed } = manifest;
  return canonicalBytes(signed);
}
