// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import fc from 'fast-check';
import type { KeyError } from '../../keys/error.ts';
import { parseStrictJson } from '../../keys/strict-json.ts';
import { assertRefused, utf8, vectors } from './fixture.ts';

const LIMITS = { maxBytes: 512 * 1024, maxDepth: 32 };
const parse = (text: string | Uint8Array): unknown =>
  parseStrictJson(typeof text === 'string' ? utf8(text) : text, LIMITS);
const refused = (text: string | Uint8Array, at: string, says: RegExp): KeyError => {
  const error = assertRefused(() => parse(text), 'JsonMalformed', at);
  assert.match(error.message, says);
  return error;
};
/** A document whose value comes back unchanged through `JSON.parse`, and which no strict rule forbids. */
const plain = fc.jsonValue({ maxDepth: 6 }).filter((value) => {
  const text = JSON.stringify(value);
  return !/-0(?![.\d])|\\u0000|\\ud/i.test(text) && !hasUnsafeInteger(value);
});

function hasUnsafeInteger(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasUnsafeInteger);
}

describe('keys/strict-json', () => {
  it('reads every kind of value as JSON.parse does', () => {
    const text = ' {"a":[1,-2.5,1e3,0,true,false,null,"x\\"\\\\\\n\\u00e9😀",{}],"b":{"c":[]},"":""}\n';
    assert.deepEqual(parse(text), JSON.parse(text));
    for (const alone of [
      '1',
      '"x"',
      'null',
      '[]',
      '{}',
      '9007199254740991',
      '-9007199254740991',
      '0.0',
      '1e-400',
    ]) {
      assert.deepEqual(parse(alone), JSON.parse(alone));
    }
  });

  it('agrees with JSON.parse on every document it accepts', () => {
    fc.assert(
      fc.property(plain, fc.constantFrom(undefined, 1, '\t'), (value, space) => {
        const text = JSON.stringify(value, null, space);
        assert.deepEqual(parse(text), JSON.parse(text));
      }),
    );
  });

  it('gives a value or JsonMalformed for any bytes at all', () => {
    const noise = fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      fc
        .string({
          unit: fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', ':', '1', '-', 'e', 'u', '0', ' '),
        })
        .map(utf8),
    );
    fc.assert(
      fc.property(noise, (bytes) => {
        try {
          assert.deepEqual(parse(bytes), JSON.parse(Buffer.from(bytes).toString()));
        } catch (error) {
          assert.propertyVal(error, 'code', 'JsonMalformed');
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('[R55] refuses the three documents whose signed meaning is not their used meaning', () => {
    const { dup_top, dup_escaped, dup_nested } = Object(vectors('manifest-m0.json'));
    refused(dup_top, '/app_id', /repeats the key `app_id`/);
    refused(dup_escaped, '/version', /repeats the key `version`/);
    refused(dup_nested, '/capabilities/0/side_effects', /repeats the key `side_effects`/);
  });

  it('refuses repeated keys wherever they are, and only within one object', () => {
    refused('{"":1,"":2}', '/', /repeats/);
    refused('{"__proto__":1,"__proto__":2}', '/__proto__', /repeats/);
    refused('[0,{"x":[{"a/b~":1,"a\\u002fb~":2}]}]', '/1/x/0/a~1b~0', /repeats/);
    refused('{"a":{"b":1},"c":[{"d":"}"}],"a":1}', '/a', /repeats/);
    refused('{"k":"a\\\\","k":1}', '/k', /repeats/);
    assert.deepEqual(parse('[{"a":1},{"a":{"a":2}}]'), [{ a: 1 }, { a: { a: 2 } }]);
    assert.deepEqual(parse('{"a":"a","b":["a","a"]}'), { a: 'a', b: ['a', 'a'] });
  });

  it('finds the repeated key in any object, however it is spelled', () => {
    const key = fc.string({ unit: 'binary', minLength: 1 }).filter((text) => !text.includes('\0'));
    const escaped = (text: string): string =>
      [...Array(text.length).keys()]
        .map((i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`)
        .join('');
    fc.assert(
      fc.property(key, fc.array(plain, { maxLength: 3 }), (name, between) => {
        const middle = between
          .map((value, i) => `"${name.length}-${i}-between":${JSON.stringify(value)},`)
          .join('');
        const text = `{${JSON.stringify(name)}:1,${middle}"${escaped(name)}":2}`;
        assert.match(assertRefused(() => parse(text), 'JsonMalformed').message, /repeats/);
      }),
    );
  });

  it('refuses bytes that are not UTF-8, and a byte order mark', () => {
    refused(Uint8Array.of(0x22, 0xff, 0x22), '', /not UTF-8/);
    refused(Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22), '', /not UTF-8/); // a surrogate, encoded
    refused(Uint8Array.of(0x22, 0xc0, 0x80, 0x22), '', /not UTF-8/); // NUL, overlong
    refused(Uint8Array.of(0xef, 0xbb, 0xbf, 0x31), '', /byte order mark/);
    refused(Uint8Array.of(0xff, 0xfe, 0x31, 0x00), '', /not UTF-8/);
  });

  it('refuses lone surrogates and NUL in values and in keys', () => {
    refused('{"a":["\\ud800"]}', '/a/0', /lone surrogate/);
    refused('{"a":"\\udc00\\ud800"}', '/a', /lone surrogate/);
    refused('{"a":{"x\\ud800":1}}', '/a', /lone surrogate/);
    refused('["\\ud83dx\\ude02"]', '/0', /lone surrogate/);
    refused('{"a":"x\\u0000"}', '/a', /NUL/);
    refused('{"a":{"\\u0000":1}}', '/a', /NUL/);
    refused('"\\u0000"', '', /NUL/);
    refused('{"\\u0000":1}', '', /NUL/);
    assert.equal(parse('"\\ud83d\\ude02"'), '😂');
    assert.equal(parse('"\\\\u0000"'), '\\u0000');
  });

  it('refuses numbers that readers keep differently', () => {
    refused('{"a":9007199254740992}', '/a', /beyond 2\^53/);
    refused('[0,-9007199254740993]', '/1', /beyond 2\^53/);
    refused('[9007199254740993.0]', '/0', /beyond 2\^53/);
    refused('[1E30]', '/0', /beyond 2\^53/);
    refused('{"p":{"toJSON":0,"v":1e400}}', '/p/v', /too large/);
    refused('-1e400', '', /too large/);
    for (const zero of ['-0', '-0.0', '-0e5', '-1e-400']) refused(`[${zero}]`, '/0', /negative zero/);
  });

  it('refuses nesting beyond the limit, however deep, without overflowing', () => {
    const nested = (depth: number): string => `${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`;
    assert.doesNotThrow(() => parse(nested(32)));
    refused(nested(34), '/0/a'.repeat(16), /deeper than 32/);
    refused('['.repeat(200_000) + ']'.repeat(200_000), '/0'.repeat(32), /deeper than 32/);
    refused(`${'{"a":'.repeat(80_000)}1${'}'.repeat(80_000)}`, '/a'.repeat(32), /deeper than 32/);
    assert.throws(() => parseStrictJson(utf8('[]'), { maxBytes: 10, maxDepth: 0 }), /deeper than 0/);
  });

  it('refuses a document over the size limit and takes one at it', () => {
    assert.equal(parseStrictJson(utf8('"é"'), { maxBytes: 4, maxDepth: 1 }), 'é');
    const error = assertRefused(
      () => parseStrictJson(utf8('"éé"'), { maxBytes: 4, maxDepth: 1 }),
      'JsonMalformed',
      '',
    );
    assert.match(error.message, /6 bytes long, at most 4/);
  });

  it('says where the grammar is broken and keeps the text of the document out of the message', () => {
    refused('{"a":1,}', '', /not JSON \(line 1 column 8\)/);
    refused('[1\n2]', '', /line 2 column 1/);
    assert.notInclude(refused('hunter2', '', /^the document is not JSON$/).message, 'hunter2');
    for (const text of [
      '',
      '"\u0001"',
      '[01]',
      '[.5]',
      '[1.]',
      '{a:1}',
      "['a']",
      '[NaN]',
      '[1]x',
      '{"a" 1}',
      '"\\x"',
    ]) {
      assert.match(assertRefused(() => parse(text), 'JsonMalformed', '').message, /not JSON/);
    }
  });

  it('shows a hostile key escaped', () => {
    const { message } = refused('{"a\\n\\u202e":1,"a\\n\\u202e":2}', '/a\n\u202e', /repeats/);
    assert.equal(message, '`/a\\u{a}\\u{202e}` repeats the key `a\\u{a}\\u{202e}`');
  });

  it('takes time in proportion to the size on strings of escapes and on many keys', () => {
    const slashes = `"${'\\\\'.repeat(120_000)}"`;
    assert.equal(String(parse(slashes)).length, 120_000);
    assert.equal(String(parse(`"${'\\"'.repeat(120_000)}"`)).length, 120_000);
    const keys = `{${Array.from({ length: 40_000 }, (_, i) => `"${i}":0`).join(',')}}`;
    assert.lengthOf(Object.keys(Object(parse(keys))), 40_000);
  });
});
