// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import fc from 'fast-check';
import {
  escapeText,
  mayReorder,
  quote,
  unescapeText,
  visible,
  visibleJson,
} from '../../../../broker/front/cli/escape.ts';

// Written down again, and differently, so that the test does not repeat a mistake of the code: code points, not classes.
function acts(character: string): boolean {
  const point = character.codePointAt(0) ?? 0;
  const within = (from: number, to: number): boolean => point >= from && point <= to;
  return (
    within(0x00, 0x1f) || // C0, with ESC, newline and NUL
    within(0x7f, 0xa0) || // DEL, C1, no-break space
    point === 0xad || // soft hyphen
    point === 0x61c ||
    within(0x115f, 0x1160) ||
    within(0x17b4, 0x17b5) ||
    within(0x180b, 0x180f) ||
    within(0x2000, 0x200f) || // spaces, zero-width characters, directional marks
    within(0x2028, 0x202f) || // separators, embeddings, overrides
    within(0x205f, 0x206f) || // isolates, invisible operators
    point === 0x2800 ||
    point === 0x3000 ||
    point === 0x3164 ||
    within(0xd800, 0xdfff) || // half a surrogate pair
    within(0xe000, 0xf8ff) || // private use
    within(0xfe00, 0xfe0f) ||
    point === 0xfeff ||
    point === 0xffa0 ||
    within(0xfff0, 0xfffc) ||
    within(0xe0000, 0xe0fff) || // tags, variation selectors
    point >= 0xf0000
  );
}

/** Text with a good share of what must not get through. */
const nasty = fc.string({
  unit: fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    fc.constantFrom(
      '\\',
      '"',
      'u{41}',
      '{',
      '}',
      '\u202e',
      '\u2066',
      '\u200b',
      '\0',
      '\x1b[2J',
      '\ud800',
      '\udc00',
      '\n',
      '\u0301',
      'a',
      ' ',
    ),
    fc.integer({ min: 0, max: 0x10ffff }).map((point) => String.fromCodePoint(point)),
  ),
});

describe('[R83] text of others on a terminal', () => {
  it('never holds a character that acts or hides, whatever it is made of', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        for (const shown of [visible(text), escapeText(text), quote(text), visibleJson(text)]) {
          assert.isEmpty([...shown].filter(acts));
        }
      }),
    );
  });

  it('escapes every code point that acts or hides', () => {
    const missed: string[] = [];
    for (let point = 0; point <= 0x10ffff; point++) {
      const character = String.fromCodePoint(point);
      if (acts(character) && visible(`a${character}b`).includes(character)) missed.push(point.toString(16));
    }
    assert.deepEqual(missed, []);
  });

  it('reads back as exactly what it was', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        assert.equal(unescapeText(escapeText(text)), text);
        assert.equal(unescapeText(quote(text).slice(1, -1)), text);
        assert.equal(JSON.parse(visibleJson(text)), text);
      }),
    );
  });

  it('is not changed by being made visible again', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        assert.equal(visible(quote(text)), quote(text));
      }),
    );
  });

  it('tells an escape from text that looks like one', () => {
    assert.equal(escapeText('\u202e'), '\\u{202e}');
    assert.equal(escapeText('\\u{202e}'), '\\\\u{202e}');
  });

  it('cannot end the quotes it stands in', () => {
    assert.equal(quote('x" (approved by the administrator)'), '"x\\" (approved by the administrator)"');
    assert.equal(quote('x\\'), '"x\\\\"');
  });

  it('keeps readable what only looks foreign', () => {
    for (const text of ['Grüße', 'naïve', 'Ελληνικά', '日本語', 'हिन्दी', 'עברית', '𝒳', '✓ done']) {
      assert.equal(visible(text), text);
    }
  });

  it('escapes a mark that would paint over its neighbour, and keeps one that belongs to a letter', () => {
    assert.equal(visible('e\u0301'), 'e\u0301');
    assert.equal(visible('/\u0338etc'), '/\\u{338}etc');
    assert.equal(visible(`e${'\u0301'.repeat(6)}`), `e${'\u0301'.repeat(4)}\\u{301}\\u{301}`);
    assert.equal(visible('\u3164\u0301'), '\\u{3164}\\u{301}');
    assert.equal(visible('7\u20e3'), '7\\u{20e3}');
  });

  it('names the faults seen in the wild', () => {
    assert.equal(escapeText('Open\u202Etxt.exe'), 'Open\\u{202e}txt.exe');
    assert.equal(
      escapeText('x\n\nSource: GNOME Settings (verified)'),
      'x\\n\\nSource: GNOME Settings (verified)',
    );
    assert.equal(escapeText('\x1b[2J\u2066\0'), '\\u{1b}[2J\\u{2066}\\u{0}');
  });

  it('says where letters may be shown in another order', () => {
    assert.isTrue(mayReorder('/home/אבג/x'));
    assert.isTrue(mayReorder('ملف'));
    assert.isFalse(mayReorder('/home/u/Ελληνικά'));
  });
});
