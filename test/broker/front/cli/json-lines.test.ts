// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import fc from 'fast-check';
import { unescapeText } from '../../../../broker/front/cli/escape.ts';
import { jsonLines } from '../../../../broker/front/cli/json-lines.ts';

describe('[R83] parameters laid out for a person', () => {
  it('are indented, one member a line', () => {
    assert.deepEqual(jsonLines('{"a":{"b":[1,true,null]},"c":{},"d":[]}'), [
      '{',
      '  "a": {',
      '    "b": [',
      '      1,',
      '      true,',
      '      null',
      '    ]',
      '  },',
      '  "c": {},',
      '  "d": []',
      '}',
    ]);
  });

  it('hold all that was sent: the strings, unescaped, are the strings of the text', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: 'binary' }), (text) => {
        const shown = [
          ...jsonLines(text)
            .join('\n')
            .matchAll(/"((?:[^"\\]|\\.)*)"/gu),
        ].map(([, inner = '']) => unescapeText(inner));
        const sent = [...text.matchAll(/"(?:[^"\\]|\\.)*"/g)].map(([token]) => JSON.parse(token) as string);
        assert.deepEqual(shown, sent);
      }),
    );
  });

  it('show what a parsed copy would lose: a repeated key and a number beyond a double', () => {
    assert.deepEqual(jsonLines('{"a":1,"a":12345678901234567890}'), [
      '{',
      '  "a": 1,',
      '  "a": 12345678901234567890',
      '}',
    ]);
  });

  it('escape a line feed in a value, so that it makes no line', () => {
    assert.deepEqual(jsonLines(JSON.stringify({ a: 'x\n}\n\u202e' })), [
      '{',
      '  "a": "x\\n}\\n\\u{202e}"',
      '}',
    ]);
  });

  it('are one quoted line where the text is no JSON', () => {
    assert.deepEqual(jsonLines('{"a":\n'), ['"{\\"a\\":\\n"']);
  });
});
