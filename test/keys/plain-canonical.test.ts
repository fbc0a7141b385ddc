// SPDX-License-Identifier: Apache-2.0
import canonicalize from 'canonicalize';
import { assert } from 'chai';
import fc from 'fast-check';
import { plainCanonicalText } from '../../keys/plain-canonical.ts';

const NAMES = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 4 }),
  fc.constantFrom('a', 'B', 'toJSON', 'constructor', 'x1', '\ufb33', '\u{1f600}', '10', '__proto__', ''),
);

describe('keys/plain-canonical', () => {
  it('[R54] property: writes what the library writes, or leaves it to the library', () => {
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        fc.oneof(fc.string({ unit: 'binary', maxLength: 6 }), fc.double(), fc.boolean(), fc.constant(null)),
        fc.array(tie('value'), { maxLength: 4 }),
        fc
          .array(fc.tuple(NAMES, tie('value')), { maxLength: 5 })
          .map((members) => Object.fromEntries(members)),
      ),
    }));
    let written = 0;
    fc.assert(
      fc.property(value, (made) => {
        const text = plainCanonicalText(made);
        if (text === undefined) return;
        written += 1;
        assert.equal(text, canonicalize(made));
      }),
      { numRuns: 500 },
    );
    assert.isAbove(written, 50);
  });

  it('[R54] writes members in the order of their UTF-16 code units, whatever they mean in JavaScript', () => {
    const value = {
      é: 1,
      toJSON: { b: [true, null], a: -0 },
      '\u{1f600}': 'x\u0007"',
      '\ufb33': 1e21,
      B: 0.1,
      '': {},
    };
    assert.equal(
      plainCanonicalText(value),
      '{"":{},"B":0.1,"toJSON":{"a":0,"b":[true,null]},"é":1,"\u{1f600}":"x\\u0007\\"","\ufb33":1e+21}',
    );
  });

  const uncertain: readonly [what: string, value: unknown][] = [
    ['a name that is an index', { 10: 1, 9: 2 }],
    ['a name that is a prototype', JSON.parse('{"__proto__":1}')],
    ['a lone surrogate in a name', { '\ud800': 1 }],
    ['a lone surrogate in a text', ['\udc00']],
    ['what is no number', [Number.NaN]],
    ['an infinity', { a: Number.POSITIVE_INFINITY }],
    ['nothing', undefined],
    ['a member that is nothing', { a: undefined }],
    ['a hole', Array(1)],
    ['a function', { toJSON: () => 1 }],
    ['a value of a class', new Date(0)],
    ['a value without a prototype', Object.create(null)],
    ['a large integer', 1n],
    [
      'depth',
      Array(64)
        .fill(0)
        .reduce<unknown>((inner) => [inner], []),
    ],
  ];
  for (const [what, value] of uncertain) {
    it(`[R54] leaves ${what} to the library`, () => assert.isUndefined(plainCanonicalText(value)));
  }

  it('[R54] a cycle ends', () => {
    const cycle: unknown[] = [];
    cycle.push(cycle);
    assert.isUndefined(plainCanonicalText(cycle));
  });
});
