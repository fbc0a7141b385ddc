// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import fc from 'fast-check';
import { lineOf } from '../../keys/json-place.ts';

const TEXT = `
{ "rules": [
    { "effect": "DENY",
      "reason": "a, [b] {c}: \\"d\\" \\\\",
      "hours": { "from": 1, "to": 25 } },
    [], {},
    true
  ],
  "a/b~": null, "\\u0061": -1.5e3,
  "twice": 1,
  "twice": 2
}`;

describe('keys/json-place', () => {
  const PLACES: Record<string, number> = {
    '': 2,
    '/rules': 2,
    '/rules/0': 3,
    '/rules/0/reason': 4,
    '/rules/0/hours': 5,
    '/rules/0/hours/to': 5,
    '/rules/1': 6,
    '/rules/2': 6,
    '/rules/3': 7,
    '/a~1b~0': 9,
    '/a': 9,
    '/twice': 11,
    '/nowhere': 2,
    '/rules/9': 2,
    '/rules/0/hours/until': 5,
    '/rules/0/hour': 3,
    '/rules/0/reason/more': 4,
  };
  for (const [pointer, line] of Object.entries(PLACES)) {
    it(`[R95] finds \`${pointer}\` on line ${line}`, () => assert.equal(lineOf(TEXT, pointer), line));
  }

  it('[R95] finds every value of any document, one to a line', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const lines: [pointer: string, line: number][] = [];
        const text = oneToALine(value, '', lines).join('\n');
        for (const [pointer, line] of lines) assert.equal(lineOf(text, pointer), line, text);
      }),
      { numRuns: 300 },
    );
  });

  it('[R95] takes a long string in its stride', () => {
    const text = `["${'\\"x'.repeat(300_000)}",\n"found"]`;
    assert.equal(lineOf(text, '/1'), 2);
  });
});

/** The lines of a value, each member and element beginning one; notes where each pointer is. */
function oneToALine(value: unknown, pointer: string, found: [string, number][], before = 0): string[] {
  found.push([pointer, before + 1]);
  if (typeof value !== 'object' || value === null) return [JSON.stringify(value)];
  const isList = Array.isArray(value);
  const lines = [isList ? '[' : '{'];
  Object.entries(value).forEach(([key, child], index, all) => {
    const below = `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const [first = '', ...rest] = oneToALine(child, below, found, before + lines.length);
    lines.push(isList ? first : `${JSON.stringify(key)} : ${first}`, ...rest);
    if (index < all.length - 1) lines[lines.length - 1] += ',';
  });
  return [...lines, isList ? ']' : '}'];
}
