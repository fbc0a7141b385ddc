// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import fc from 'fast-check';
import { label } from '../../tier2-atspi/label.ts';

describe('tier2-atspi/label', () => {
  it('is one line without anything invisible', () => {
    assert.equal(label('  Save\n\tas…\r\n', 50), 'Save as…');
    assert.equal(label('pay\u202eyas\u2066', 50), 'payyas');
    assert.equal(label('a\u200bb\u00adc\u0000d', 50), 'abcd');
    assert.equal(label('a\u00a0\u2003b\u2028c', 50), 'a b c');
    assert.equal(label('\ud800x', 50), 'x');
    assert.equal(label('a \u200b b', 50), 'a b');
    assert.equal(label('', 50), '');
  });

  it('keeps what people write', () => {
    for (const text of ['Öffnen', '保存', 'حفظ', '🙂', '7 + 5 = 12']) assert.equal(label(text, 50), text);
  });

  it('says when it is cut', () => {
    assert.equal(label('abcdef', 6), 'abcdef');
    assert.equal(label('abcdefg', 6), 'abcde…');
    assert.equal(label('abcd🙂🙂', 6), 'abcd…', 'no half of a character');
  });

  it('is the same again, and never longer than the limit', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'ab \n\u200b\u202e\u0085\ufeff\u2028🙂'), maxLength: 60 }),
        (text) => {
          const once = label(text, 20);
          assert.isAtMost(once.length, 20);
          assert.equal(label(once, 20), once);
          assert.notMatch(once, /[\p{C}\n]/u);
        },
      ),
    );
  });
});
