// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import fc from 'fast-check';
import { Effort } from '../../policy/effort.ts';
import { matchesGlob, parseGlob } from '../../policy/glob.ts';
import { includes, overlap } from '../../policy/glob-algebra.ts';
import { anyParts, globsOf, listsOf, type Part, textOf } from './naive-glob.ts';

const LIMITS = { maxGlobLength: 1000, maxExpansion: 1000 };
const glob = (text: string) => parseGlob(text, LIMITS);

const CHOICES: readonly Part[] = ['a', '/', 'ONE', 'RUN', 'DEEP', [['a'], []], [['/', 'b'], ['RUN']]];
const GLOBS = globsOf(CHOICES, 2).map((parts) => glob(textOf(parts)));
// Long enough to tell any two of these apart, `x` standing for all characters that neither names.
const TEXTS = listsOf(['a', 'b', '/', 'x'], 4).map((text) => text.join(''));
const MATCHED = new Map(GLOBS.map((one) => [one, TEXTS.map((text) => matchesGlob(one, text))]));

describe('includes', () => {
  it('[R129] is what trying all short texts finds', () => {
    for (const wide of GLOBS) {
      for (const narrow of GLOBS) {
        const [inWide = [], inNarrow = []] = [MATCHED.get(wide), MATCHED.get(narrow)];
        const found = includes(wide, narrow);
        const isInside = inNarrow.every((matched, index) => !matched || inWide[index]);
        assert.equal(found === true, isInside, `${narrow.text} in ${wide.text}`);
      }
    }
  });

  it('[R129] gives one of the shortest texts that only the narrow one matches', () => {
    fc.assert(
      fc.property(fc.constantFrom(...GLOBS), fc.constantFrom(...GLOBS), (wide, narrow) => {
        const found = includes(wide, narrow);
        if (found === true || found === 'too-complex') return;
        assert.isTrue(matchesGlob(narrow, found.counterExample));
        assert.isFalse(matchesGlob(wide, found.counterExample));
        const shortest = TEXTS.filter((text) => matchesGlob(narrow, text) && !matchesGlob(wide, text));
        assert.equal(found.counterExample.length, Math.min(...shortest.map(({ length }) => length)));
      }),
    );
  });

  it('[R129] holds of globs of any shape: each includes itself, and is included where it is an alternative', () => {
    fc.assert(
      fc.property(anyParts, anyParts, (one, other) => {
        fc.pre([one, other].every((parts) => parts.length > 0 && textOf(parts).length <= 12));
        const narrow = glob(textOf(one));
        assert.isTrue(includes(narrow, narrow));
        assert.isTrue(includes(glob(`{${textOf(other)},${textOf(one)}}`), narrow));
        assert.isTrue(includes(glob('**'), narrow));
      }),
    );
  });

  it('[R129] knows every character that a glob names, down to the first', () => {
    assert.deepEqual(includes(glob('a'), glob('\0')), { counterExample: '\0' });
  });

  it('[R129] finds a character that neither glob names', () => {
    assert.deepEqual(includes(glob('{x,y,z,\\{}'), glob('?')), { counterExample: '|' });
  });
});

describe('overlap', () => {
  it('[R129] is what trying all short texts finds', () => {
    for (const a of GLOBS) {
      for (const b of GLOBS) {
        const [inA = [], inB = []] = [MATCHED.get(a), MATCHED.get(b)];
        const shared = TEXTS.filter((_, index) => inA[index] && inB[index]);
        const found = overlap(a, b);
        assert.equal(found === undefined, shared.length === 0, `${a.text} and ${b.text}`);
        if (found === undefined || found === 'too-complex') continue;
        assert.isTrue(matchesGlob(a, found.example) && matchesGlob(b, found.example));
        assert.equal(found.example.length, Math.min(...shared.map(({ length }) => length)));
      }
    }
  });

  it('[R129] is the same either way round', () => {
    fc.assert(
      fc.property(anyParts, anyParts, (one, other) => {
        fc.pre([one, other].every((parts) => parts.length > 0 && textOf(parts).length <= 12));
        const [a, b] = [glob(textOf(one)), glob(textOf(other))];
        assert.equal(overlap(a, b) === undefined, overlap(b, a) === undefined);
      }),
    );
  });
});

describe('comparing globs', () => {
  const hard = glob(`**a${'?'.repeat(20)}`);

  it('[R128] [R129] gives up on what would take too long, and says so', () => {
    assert.equal(includes(hard, glob(`**a${'?'.repeat(20)}*`)), 'too-complex');
    assert.equal(overlap(hard, glob(`**b${'?'.repeat(20)}`)), 'too-complex');
  });

  /** How many places of globs are looked at. */
  function counted(compare: (effort: Effort) => unknown): number {
    let spent = 0;
    class Counted extends Effort {
      override spend(places: number): boolean {
        spent += places;
        return super.spend(places);
      }
    }
    compare(new Counted(1_000_000));
    return spent;
  }

  it('[R128] counts how large the globs are, and not only how often it looks at them', () => {
    const alternatives = (count: number) => glob(`**{${'a,'.repeat(count)}b}c`);
    const [few, many] = [10, 400].map((count) =>
      counted((effort) => includes(alternatives(count), alternatives(count), effort)),
    );
    assert.isAbove((many ?? 0) / (few ?? 0), 10);
    assert.isAtLeast(
      counted((effort) => overlap(glob('a'.repeat(900)), glob('a'.repeat(900)), effort)),
      1800,
    );
  });

  it('[R128] looks at no more than it may', () => {
    assert.equal(overlap(glob('a*'), glob('*b'), new Effort(3)), 'too-complex');
    assert.equal(overlap(glob('a*'), glob('*b'), new Effort(50)), 'too-complex');
    assert.deepEqual(overlap(glob('a*'), glob('*b'), new Effort(1000)), { example: 'ab' });
    for (const text of [`?*${'?*'.repeat(28)}${'ab'.repeat(450)}`, `**a${'?'.repeat(900)}`]) {
      const [one, other] = [glob(text), glob(`*${text}`)];
      assert.equal(includes(one, other), 'too-complex');
    }
  });

  it('[R129] does not look again at what every match starts with', () => {
    const spent = (folder: string) =>
      counted((effort) => includes(glob(`${folder}**`), glob(`${folder}a/*`), effort));
    assert.isBelow(spent(`/${'a/'.repeat(400)}`) - spent('/a/'), 2 * 800 + 1);
  });

  it('[R129] does not give up on what is merely long', () => {
    const long = '/home/somebody/a-folder/with-a-long-name/and-another-one/and-one-more';
    assert.isTrue(includes(glob(`${long}/**`), glob(`${long}/{a,b,c}/*.{txt,md,odt}`)));
    assert.deepEqual(overlap(glob(`${long}/*`), glob(`${long}/**`)), { example: `${long}/` });
    const longest = `/${'a'.repeat(990)}`;
    assert.isTrue(includes(glob(`${longest}*`), glob(`${longest}?b`)));
  });
});
