// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import fc from 'fast-check';
import { ManifestError } from '../../manifests/error.ts';
import { parseManifest } from '../../manifests/parse.ts';
import {
  capabilityWith,
  encode,
  LIMITS,
  largeManifest,
  manifestWith,
  parse,
  refusal,
  refused,
  VECTORS,
} from './fixtures.ts';

const C = '/capabilities/0';

describe('manifests/parse', () => {
  describe('the raw text', () => {
    const raw = (text: string | Uint8Array): string =>
      refused(() => parseManifest(typeof text === 'string' ? new TextEncoder().encode(text) : text, LIMITS));

    it('[R55] [R54] refuses repeated keys, however they are spelled, before any signature counts', () => {
      assert.equal(raw(VECTORS.dup_top), 'JsonMalformed /app_id');
      assert.equal(raw(VECTORS.dup_escaped), 'JsonMalformed /version');
      assert.equal(raw(VECTORS.dup_nested), `JsonMalformed ${C}/side_effects`);
    });

    it('refuses what readers of JSON disagree about', () => {
      assert.equal(raw(''), 'JsonMalformed ');
      assert.equal(raw('{'), 'JsonMalformed ');
      assert.equal(raw(new Uint8Array([0x22, 0xff, 0x22])), 'JsonMalformed ');
      assert.equal(raw(' '.repeat(LIMITS.maxBytes + 1)), 'JsonMalformed ');
      assert.equal(raw(`{"a":${'['.repeat(40)}${']'.repeat(40)}}`).split(' ')[0], 'JsonMalformed');
      assert.equal(raw('{"revision":9007199254740993}'), 'JsonMalformed /revision');
    });

    it('5 000 nested arrays in a default are refused where they stand', () => {
      const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`;
      const text = JSON.stringify(capabilityWith({ parameters: { default: 'HERE' } })).replace(
        '"HERE"',
        deep,
      );
      assert.match(raw(text), /^JsonMalformed \/capabilities\/0\/parameters\/default/);
    });

    it('nothing that a manifest holds reaches a message unescaped', () => {
      for (const manifest of [
        manifestWith({ app_id: 'a\n{"event":"approved"}\u202e' }),
        manifestWith({ 'x\n{"event":"approved"}\u202e': 1 }),
        capabilityWith({ id: 'a\n{"event":"approved"}\u202e' }),
        manifestWith({ locales: { 'd\n{"event":"approved"}\u202e': {} } }),
        capabilityWith({ target: [{ parameter: 'x\n\u202e', kind: 'path' }] }),
        capabilityWith({ parameters: { properties: { 'x\n\u202e': 7 } } }),
        capabilityWith({ parameters: { 'x\n\u202e': 7 } }),
        manifestWith({ manifest_version: '9.9\n' }),
      ]) {
        const { message } = refusal(() => parse(manifest));
        assert.notMatch(message, /[\n\u202e]/u);
        assert.isBelow(message.length, 400);
      }
    });
  });

  describe('anything at all', () => {
    const onlyManifestErrors = (step: () => unknown): void => {
      try {
        step();
      } catch (error) {
        if (!(error instanceof ManifestError)) throw error;
        assert.match(error.message, /^[^\n]+[^.\n]$/);
      }
    };

    it('any bytes are refused with a ManifestError', () => {
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) =>
          onlyManifestErrors(() => parseManifest(bytes, LIMITS)),
        ),
      );
    });

    it('a manifest with any value anywhere is read or refused with a ManifestError', () => {
      const base = largeManifest(1);
      const places = paths(base);
      fc.assert(
        fc.property(
          fc.constantFrom(...places),
          fc.jsonValue(),
          fc.option(fc.string()),
          (path, value, key) => {
            const changed = structuredClone(base);
            set(
              changed,
              key === null ? path : [...path.slice(0, -1), key],
              JSON.parse(JSON.stringify(value)),
            );
            onlyManifestErrors(() => parse(changed));
          },
        ),
        { numRuns: 2000 },
      );
    });

    it('a manifest with any byte changed is read or refused with a ManifestError', () => {
      const bytes = encode(largeManifest(1));
      fc.assert(
        fc.property(fc.nat(bytes.length - 1), fc.nat(255), (index, byte) => {
          const changed = bytes.slice();
          changed[index] = byte;
          onlyManifestErrors(() => parseManifest(changed, LIMITS));
        }),
        { numRuns: 1000 },
      );
    });
  });
});

type Path = readonly (string | number)[];

/** Every place in a document. */
function paths(value: unknown, path: Path = []): Path[] {
  const below = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return below.flatMap(([key, part]) => [[...path, key], ...paths(part, [...path, key])]);
}

function set(document: object, path: Path, value: unknown): void {
  const holder = path.slice(0, -1).reduce((part: object, key) => Object(Reflect.get(part, key)), document);
  if (Array.isArray(holder)) holder[Math.min(Number(path.at(-1)) || 0, holder.length)] = value;
  else
    Object.defineProperty(holder, String(path.at(-1)), {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
}
