// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { assert } from 'chai';
import fc from 'fast-check';
import { canonicalBytes, signedBytes } from '../../keys/canonical-json.ts';
import { parseStrictJson } from '../../keys/strict-json.ts';
import { assertRefused, utf8, vectorPath, vectors } from './fixture.ts';

const text = (value: unknown): string => Buffer.from(canonicalBytes(value)).toString('utf8');
const value = fc.jsonValue({ maxDepth: 5 }).map((made): unknown => JSON.parse(JSON.stringify(made)));
const manifest = fc
  .dictionary(fc.string(), value)
  .map((made): Record<string, unknown> => JSON.parse(JSON.stringify(made)));

/** The same value, with the keys of each object in another order. */
function shuffled(from: unknown, seed: number): unknown {
  if (Array.isArray(from)) return from.map((item) => shuffled(item, seed));
  if (typeof from !== 'object' || from === null) return from;
  const entries = Object.entries(from).map(([key, item]): [string, unknown] => [key, shuffled(item, seed)]);
  const turned = entries.map((_, i) => entries[(i + seed) % entries.length] ?? entries[0]);
  return Object.fromEntries(turned.reverse().filter((entry) => entry !== undefined));
}

describe('keys/canonical-json', () => {
  const names = readdirSync(vectorPath('rfc8785')).filter((name) => name.endsWith('.in.json'));

  it('[R54] sees the six RFC 8785 vectors', () => assert.lengthOf(names, 6));
  for (const name of names) {
    it(`[R54] writes RFC 8785 ${name} byte for byte`, () => {
      const input: unknown = JSON.parse(readFileSync(vectorPath(`rfc8785/${name}`), 'utf8'));
      const expected = readFileSync(vectorPath(`rfc8785/${name.replace('.in.', '.out.')}`));
      assert.equal(Buffer.from(canonicalBytes(input)).compare(expected), 0, text(input));
    });
  }

  it('[R54] gives M0 the canonical form that its signature covers', () => {
    const { M0, M0_canonical_sha256, M0_signature } = Object(vectors('manifest-m0.json'));
    const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
    assert.equal(digest(canonicalBytes(M0)), M0_canonical_sha256);
    assert.equal(digest(signedBytes({ signature: M0_signature, ...M0 })), M0_canonical_sha256);
    assert.equal(digest(signedBytes(M0)), M0_canonical_sha256);
  });

  it('[R54] writes a parsed form of itself again, without change', () => {
    fc.assert(fc.property(value, (made) => assert.equal(text(JSON.parse(text(made))), text(made))));
  });

  it('[R54] does not depend on key order or white space', () => {
    fc.assert(
      fc.property(value, fc.nat(20), fc.constantFrom(undefined, 3, '\t'), (made, seed, space) => {
        const spelled: unknown = JSON.parse(JSON.stringify(shuffled(made, seed), null, space));
        assert.equal(text(spelled), text(made));
      }),
    );
  });

  it('[R54] gives different values different bytes', () => {
    fc.assert(
      fc.property(value, value, (one, other) => {
        assert.equal(text(one) === text(other), isSame(one, other));
      }),
    );
  });

  it('[R54] sorts and keeps keys that mean something in JavaScript', () => {
    const parsed = parseStrictJson(
      utf8('{"toJSON":{"b":1,"a":2},"constructor":1,"__proto__":{"z":1,"y":[]},"10":1,"9":2}'),
      { maxBytes: 200, maxDepth: 5 },
    );
    assert.equal(
      text(parsed),
      '{"10":1,"9":2,"__proto__":{"y":[],"z":1},"constructor":1,"toJSON":{"a":2,"b":1}}',
    );
    const signed = Buffer.from(signedBytes(Object(parsed))).toString();
    assert.equal(signed, text(parsed), 'leaving out the signature loses no other key');
  });

  it('[R54] leaves out the signature at the top and nowhere else', () => {
    const bytes = signedBytes({ b: [{ signature: 1 }], a: { signature: 'x' }, signature: 'ed25519:' });
    assert.equal(Buffer.from(bytes).toString(), '{"a":{"signature":"x"},"b":[{"signature":1}]}');
    fc.assert(
      fc.property(manifest, value, (made, signature) => {
        const { signature: _, ...rest } = made;
        assert.deepEqual(signedBytes({ ...made, signature }), canonicalBytes(rest));
      }),
    );
  });

  it('does not change the manifest', () => {
    const made = { b: 1, signature: 'x', a: [{ d: 1, c: 2 }] };
    signedBytes(made);
    assert.equal(JSON.stringify(made), '{"b":1,"signature":"x","a":[{"d":1,"c":2}]}');
  });

  it('[R54] refuses what has no canonical form', () => {
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    for (const bad of [
      undefined,
      () => 1,
      Number.NaN,
      [Number.POSITIVE_INFINITY],
      '\ud800',
      { '\udfff': 1 },
      cycle,
      1n,
    ]) {
      assertRefused(() => canonicalBytes(bad), 'JsonMalformed', '');
    }
  });

  it('writes what is nested far beyond any limit without overflowing', () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    assert.equal(text(JSON.parse(deep)), deep);
  });
});

function isSame(one: unknown, other: unknown): boolean {
  try {
    // Canonical form writes -0 as 0; chai tells them apart.
    assert.deepEqual(JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other)));
    return true;
  } catch {
    return false;
  }
}
