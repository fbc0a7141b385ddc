// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import fc from 'fast-check';
import { PolicyError } from '../../policy/error.ts';
import { codePoint, matchesGlob, parseGlob } from '../../policy/glob.ts';
import { STEP } from '../../policy/glob-automaton.ts';
import {
  anyParts,
  anyText,
  globsOf,
  listsOf,
  naivelyCounted,
  naivelyMatches,
  type Part,
  textOf,
} from './naive-glob.ts';

const LIMITS = { maxGlobLength: 1000, maxExpansion: 1000 };
const matches = (glob: string, value: string): boolean => matchesGlob(parseGlob(glob, LIMITS), value);

function refusalOf(glob: string, limits = LIMITS): PolicyError {
  try {
    parseGlob(glob, limits);
  } catch (error) {
    if (error instanceof PolicyError) return error;
  }
  return assert.fail(`\`${glob}\` was not refused`);
}

describe('matchesGlob', () => {
  const rows: readonly [glob: string, matched: readonly string[], others: readonly string[]][] = [
    ['/home/u/*', ['/home/u/a', '/home/u/a.txt', '/home/u/'], ['/home/u/a/b', '/home/u', '/home/v/a']],
    ['/home/u/**', ['/home/u/a', '/home/u/a/b', '/home/u/'], ['/home/u', '/home/uu/a', '/HOME/u/a']],
    ['/home/*/x', ['/home/u/x', '/home//x'], ['/home/u/v/x', '/home/x']],
    ['/a/**/z', ['/a/b/z', '/a/b/c/z', '/a//z'], ['/a/z']],
    ['?', ['a', 'é', '𝒳', '*'], ['', '/', 'ab']],
    ['*.{txt,md}', ['.txt', 'a.md', 'a.b.txt'], ['a.txt.', 'a/b.txt', 'a.tx']],
    ['{a,b{c,d{e,}}}', ['a', 'bc', 'bd', 'bde'], ['b', 'bcd', 'ade']],
    ['x{,y}', ['x', 'xy'], ['', 'y', 'xyy']],
    ['{}x', ['x'], ['{}x']],
    ['\\*\\?\\{\\}\\,\\\\\\a', ['*?{},\\a'], ['x?{},\\a']],
    ['a,b', ['a,b'], ['a', 'b']],
    ['[ab]!(c)~^$.+|', ['[ab]!(c)~^$.+|'], ['a', 'b']],
    ['a***b', ['ab', 'a/x/b'], ['a']],
    [
      'https://*.example.com/**',
      ['https://www.example.com/', 'https://a.b.example.com/x/y?z'],
      ['https://example.com/', 'https://evil.org/.example.com/'],
    ],
  ];
  for (const [glob, matched, others] of rows) {
    it(`[R95] ${glob}`, () => {
      for (const value of matched) assert.isTrue(matches(glob, value), value);
      for (const value of others) assert.isFalse(matches(glob, value), value);
    });
  }

  it('[R95] matches what a naive matcher matches: every short glob, every short text', () => {
    const choices: readonly Part[] = ['a', '/', 'ONE', 'RUN', 'DEEP', [['a'], []], [['/', 'a'], ['RUN']]];
    const texts = listsOf(['a', 'b', '/'], 4);
    for (const parts of globsOf(choices, 3)) {
      const glob = parseGlob(textOf(parts), LIMITS);
      for (const text of texts) {
        assert.equal(
          matchesGlob(glob, text.join('')),
          naivelyMatches(parts, text),
          `${glob.text} at ${text.join('')}`,
        );
      }
    }
  });

  it('[R95] matches what a naive matcher matches: globs and texts of any shape', () => {
    fc.assert(
      fc.property(anyParts, anyText, (parts, text) => {
        fc.pre(parts.length > 0 && naivelyCounted(parts) <= 200);
        assert.equal(matches(textOf(parts), text.join('')), naivelyMatches(parts, text));
      }),
      { numRuns: 2000 },
    );
  });

  it('[R95] a glob without anything special matches itself alone', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
        fc.string(),
        (text, other) => {
          const glob = text.replace(/[*?{}\\]/g, '\\$&');
          assert.isTrue(matches(glob, text));
          assert.equal(matches(glob, other), other === text);
        },
      ),
    );
  });

  it('[R128] takes as many steps as glob and text are long, whatever they are', () => {
    const counted = (size: number): number => {
      const glob = parseGlob(`${'{a,}**a'.repeat(9)}${'*a'.repeat(9)}${'a?'.repeat(size)}b`, LIMITS);
      let taken = 0;
      const steps = new Proxy([...glob.automaton.steps], {
        get: (of, key, receiver): unknown => {
          taken += 1;
          return Reflect.get(of, key, receiver);
        },
      });
      assert.isFalse(matchesGlob({ ...glob, automaton: { ...glob.automaton, steps } }, 'a'.repeat(2 * size)));
      return taken / (glob.automaton.steps.length * 2 * size);
    };
    assert.isBelow(counted(20), 8);
    assert.isBelow(counted(80), 8);
  });

  it('[R128] has at most 32 wildcards: each makes every character of a text dearer', () => {
    assert.doesNotThrow(() => parseGlob('*a'.repeat(32), LIMITS));
    assert.throws(() => parseGlob('**a'.repeat(33), LIMITS), PolicyError, 'more than 32');
    assert.doesNotThrow(() => parseGlob('\\*'.repeat(40), LIMITS));
  });
});

describe('parseGlob', () => {
  const rows: readonly [title: string, glob: string, words: RegExp][] = [
    ['an empty one', '', /is empty/],
    ['one too long', 'a'.repeat(1001), /longer than 1000/],
    ['half a character', 'a\ud835', /half a character/],
    ['a brace that is not closed', '{a,b', /not closed/],
    ['an inner brace that is not closed', '{a,{b}', /not closed/],
    ['a brace that closes nothing', 'a}b', /closes nothing/],
    ['a backslash at the end', 'a\\', /ends in a backslash/],
    ['a backslash at the end of a brace', '{a\\', /ends in a backslash/],
  ];
  for (const [title, glob, words] of rows) {
    it(`refuses ${title}`, () => {
      const { code, message } = refusalOf(glob);
      assert.equal(code, 'GlobInvalid');
      assert.match(message, words);
    });
  }

  it('takes the longest there may be', () => {
    assert.isTrue(matches('a'.repeat(1000), 'a'.repeat(1000)));
  });

  it('[R128] counts what braces stand for as it is, and refuses more than there may be', () => {
    fc.assert(
      fc.property(anyParts, (parts) => {
        const texts = naivelyCounted(parts);
        fc.pre(parts.length > 0 && texts <= 1000);
        const glob = textOf(parts);
        assert.equal(parseGlob(glob, { ...LIMITS, maxExpansion: texts }).text, glob);
        assert.match(refusalOf(glob, { ...LIMITS, maxExpansion: texts - 1 }).message, /stand for more than/);
      }),
    );
  });

  it('[R128] refuses what would be astronomically many without writing them out', () => {
    assert.match(refusalOf('{a,b}'.repeat(200)).message, /stand for more than 1000 texts/);
    assert.match(
      refusalOf(`${'{a,'.repeat(10)}${'{b,c}'.repeat(10)}${'}'.repeat(10)}`).message,
      /more than 1000/,
    );
  });

  it('knows the globs that need no walk: one wildcard, and nothing special after it', () => {
    const run = (suffix: string) => ({ wildcard: STEP.RUN, suffix });
    const deep = (suffix: string) => ({ wildcard: STEP.DEEP, suffix });
    const plain: readonly [glob: string, plain: ReturnType<typeof parseGlob>['plain']][] = [
      ['/home/u/*', run('')],
      ['*.txt', run('.txt')],
      ['/a/**', deep('')],
      ['**/𝒳\\0', deep('/𝒳0')],
      ['*\0', run('\0')],
      ['a***b', deep('b')],
      ['/exactly', undefined],
      ['?', undefined],
      ['{a}', undefined],
      ['*a*', undefined],
      ['**?', undefined],
    ];
    for (const [glob, expected] of plain) assert.deepEqual(parseGlob(glob, LIMITS).plain, expected, glob);
  });

  it('does not walk through them', () => {
    const glob = parseGlob('/a/*', LIMITS);
    const automaton = { ...glob.automaton, steps: [] };
    assert.isTrue(matchesGlob({ ...glob, automaton }, '/a/b'));
  });

  it('[R128] refuses so many braces that no stack would hold them, inside or beside each other', () => {
    const inside = (pairs: number): string => `${'{'.repeat(pairs)}a${'}'.repeat(pairs)}`;
    const beside = (pairs: number): string => `${'{}'.repeat(pairs)}a`;
    for (const glob of [inside, beside]) {
      assert.isTrue(matches(glob(100), 'a'));
      for (const pairs of [101, 400]) {
        assert.match(refusalOf(glob(pairs)).message, /more than 100 pairs of braces/);
      }
    }
    assert.match(refusalOf('{'.repeat(900)).message, /more than 100 pairs/);
  });

  it('says what every match starts with', () => {
    const starts: readonly [glob: string, prefix: string][] = [
      ['/home/u/*', '/home/u/'],
      ['/a\\*b?c', '/a*b'],
      ['𝒳/{a}', '𝒳/'],
      ['**', ''],
      ['/exactly', '/exactly'],
      ['a\0b*', 'a\0b'],
    ];
    for (const [glob, prefix] of starts) assert.equal(parseGlob(glob, LIMITS).prefix, prefix);
  });
});

describe('codePoint', () => {
  it('is the number of a character, and no number of one where there is none', () => {
    assert.deepEqual(['a', '𝒳', ''].map(codePoint), [0x61, 0x1d4b3, STEP.END]);
  });
});
