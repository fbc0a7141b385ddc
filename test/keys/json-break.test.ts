// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import fc from 'fast-check';
import { lineOfBreak } from '../../keys/json-break.ts';

/** Each is broken on its third line. */
const BROKEN: readonly string[] = [
  '[\n1,\nnothing\n]',
  '[\n1\n2]',
  '[\n1,\n]',
  '{\n"a":\n}',
  '{\n"a": 1,\n}',
  '{\n"a": 1\n"b": 2}',
  '{\n"a"\n1}',
  '{\n\n1: 1}',
  '{\n"a": [\n1}]',
  '\n[1]\n,',
  '\n[1]\n[',
  '\n1\n1',
  '[\n1,\n01]',
  '[\n1,\n-]',
  '[\n1,\n1.]',
  '[\n1,\n"a\tb"]',
  '[\n1,\n"a\\x"]',
  '[\n1,\n"a\n"]',
  "[\n1,\n'a']",
  '[\n1,\nTrue]',
  '[\n1,\n\u00a01]',
  // Too short.
  '[\n1,\n2\n\n ',
  '{\n"a": 1,\n"b"',
  '{\n"a": 1,\n"b":',
  '{\n"a":\n"b',
  '\n\n{',
];

describe('keys/json-break', () => {
  for (const text of BROKEN) {
    it(`[R95] finds where ${JSON.stringify(text)} breaks`, () => {
      assert.throws(() => JSON.parse(text));
      assert.equal(lineOfBreak(text), 3);
    });
  }

  it('[R95] names the first line of nothing and the last one of what does not break', () => {
    assert.equal(lineOfBreak(''), 1);
    assert.equal(lineOfBreak('\n\n'), 1);
    assert.equal(
      lineOfBreak('{"a": [1, -2.5e+3, "\\u00e9\\n", true, false, null, {}, []],\n"b": {"c": 1}}\n'),
      2,
    );
  });

  it('[R95] goes through any document to what follows it', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), (text) => {
        const lines = JSON.stringify(JSON.parse(text), undefined, 1);
        assert.equal(lineOfBreak(`${lines}\n?`), lines.split('\n').length + 1, lines);
        assert.equal(lineOfBreak(lines), lines.split('\n').length);
      }),
      { numRuns: 300 },
    );
  });

  it('[R95] agrees with the parser on where a cut text was still right', () => {
    const text = JSON.stringify({ a: ['x"\\', -1.5, { b: [] }], 'c d': true }, undefined, 1);
    for (let end = 0; end < text.length; end += 1) {
      const cut = text.slice(0, end);
      assert.isAtMost(lineOfBreak(`${cut}\u0001`), cut.split('\n').length, cut);
    }
  });

  it('[R95] takes a long string in its stride', () => {
    assert.equal(lineOfBreak(`["${'\\"x'.repeat(300_000)}",\n?]`), 2);
  });
});
