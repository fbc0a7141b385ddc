// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import fc from 'fast-check';
import { columns } from '../../../../broker/front/cli/columns.ts';
import { flow, listed, wordsOf } from '../../../../broker/front/cli/flow.ts';
import { span } from '../../../../broker/front/cli/span.ts';
import { columnsOf } from '../../../../broker/front/cli/width.ts';

const word = fc.string({ unit: fc.constantFrom('a', '.', '-', '日'), minLength: 1, maxLength: 40 });
const without = (text: string): string => text.replaceAll(' ', '');

describe('tables and lists', () => {
  it('line up, each column as wide as its widest cell', () => {
    const rows = [
      ['a', 'bb', 'c'],
      ['aaa', 'b', 'cc'],
    ];
    assert.deepEqual(columns(rows, 80), ['a    bb  c', 'aaa  b   cc']);
  });

  it('go on in indented lines where there is no room', () => {
    assert.deepEqual(columns([['id', 'word', 'a sentence of some length']], 20), [
      'id  word',
      '      a sentence of',
      '      some length',
    ]);
    assert.deepEqual(columns([['an-id-that-is-longer-than-the-line', 'x', '']], 20), [
      'an-id-that-is-longer-than-the-line',
      '      x',
    ]);
  });

  it('are not moved away by one long cell', () => {
    const [first] = columns(
      [
        ['a', 'b'],
        ['x'.repeat(60), 'b'],
      ],
      80,
    );
    assert.equal(first, 'a  b');
  });

  it('keep to the room that there is unless a single piece needs more, and lose nothing', () => {
    const rows = fc.array(fc.array(word, { minLength: 1, maxLength: 5 }), { maxLength: 5 });
    fc.assert(
      fc.property(rows, fc.integer({ min: 20, max: 120 }), (cells, room) => {
        const lines = columns(cells, room);
        for (const line of lines) {
          assert.isTrue(columnsOf(line) <= room || !line.trim().includes(' '), line);
        }
        assert.equal(without(lines.join('')), without(cells.flat().join('')));
      }),
    );
  });

  it('break no piece, and show what acts or hides', () => {
    assert.deepEqual(flow(['one ', 'two ', 'three'], { room: 10, taken: 4, indent: 2 }), [
      'one',
      '  two',
      '  three',
    ]);
    assert.deepEqual(flow([], { room: 10, taken: 0, indent: 2 }), ['']);
    assert.deepEqual(flow(['a\u202eb'], { room: 80, taken: 0, indent: 0 }), ['a\\u{202e}b']);
    assert.deepEqual(columns([['a\nb', 'c']], 80), ['a\\nb  c']);
  });

  it('keep every space within a text', () => {
    fc.assert(fc.property(fc.string(), (text) => assert.equal(wordsOf(text).join(''), text)));
    assert.deepEqual(wordsOf('a  b c'), ['a  ', 'b ', 'c']);
    assert.deepEqual(listed(['a', 'b']), ['a, ', 'b']);
  });
});

describe('a length of time', () => {
  for (const [ms, words] of [
    [-5, '0 s'],
    [0, '0 s'],
    [999, '0 s'],
    [59_999, '59 s'],
    [60_000, '1 min'],
    [3_599_999, '59 min'],
    [7_200_000, '2 h'],
    [86_400_000, '1 d'],
  ] as const) {
    it(`of ${ms} ms is ${words}`, () => assert.equal(span(ms), words));
  }
});
