// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import fc from 'fast-check';
import { escapeText, unescapeText, visibleJson } from '../../broker/visible.ts';

const HIDDEN: readonly [what: string, char: string][] = [
  ['an escape', '\u001b'],
  ['NUL', '\0'],
  ['a control character above ASCII', '\u0085'],
  ['a right-to-left override', '\u202e'],
  ['an isolate', '\u2066'],
  ['a zero-width space', '\u200b'],
  ['a zero-width joiner', '\u200d'],
  ['a soft hyphen', '\u00ad'],
  ['a byte order mark', '\ufeff'],
  ['a no-break space', '\u00a0'],
  ['an ideographic space', '\u3000'],
  ['a line separator', '\u2028'],
  ['a Hangul filler', '\u3164'],
  ['a variation selector', '\ufe0f'],
  ['a tag', '\u{e0041}'],
  ['a private character', '\ue000'],
  ['a lone surrogate', '\ud800'],
  ['an unassigned character', '\u0378'],
];

describe('text that a person sees', () => {
  for (const [what, char] of HIDDEN) {
    it(`shows ${what}`, () => {
      const shown = `\\u{${char.codePointAt(0)?.toString(16)}}`;
      assert.equal(escapeText(`a${char}b`), `a${shown}b`);
      assert.notInclude(visibleJson(JSON.stringify(`a${char}b`)), char);
    });
  }

  it('leaves what can be seen as it is', () => {
    const text = 'Gr\u00fc\u00dfe, \u65e5\u672c\u8a9e \u{1f600} "x" <b>/tmp/a b</b>';
    assert.equal(escapeText(text), text);
    assert.equal(visibleJson(text), text);
  });

  it('cannot be made to show an escape that is none', () => {
    assert.equal(escapeText('\\u{202e}'), '\\\\u{202e}');
    assert.equal(escapeText('\u202e'), '\\u{202e}');
  });

  it('spells line ends and tabs the way people know, and reads them back', () => {
    assert.equal(escapeText('a\n\tb'), 'a\\n\\tb');
    assert.equal(unescapeText('a\\n\\tb\\\\n'), 'a\n\tb\\n');
  });

  it('takes as long for a text of hidden characters as for its length', () => {
    const text = '\u007f'.repeat(1_000_000);
    assert.lengthOf(visibleJson(text), 6_000_000);
    assert.lengthOf(escapeText(text), 6_000_000);
  });

  it('loses nothing: two texts never look alike', () => {
    const unit = fc.constantFrom('a', '\\', 'u', '{', '}', '2', '\u202e', '\u200b', '\n');
    const text = fc.string({ unit, maxLength: 8 });
    fc.assert(
      fc.property(text, text, (one, other) => {
        assert.equal(escapeText(one) === escapeText(other), one === other);
      }),
    );
  });

  it('stays JSON of the same value', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: 'binary' }), (json) => {
        assert.deepEqual(JSON.parse(visibleJson(json)), JSON.parse(json));
      }),
    );
    assert.equal(visibleJson('"\u{e0041}"'), '"\\udb40\\udc41"');
  });
});
