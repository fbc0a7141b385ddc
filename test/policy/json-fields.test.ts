// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { PolicyError } from '../../policy/error.ts';
import { JsonFields } from '../../policy/json-fields.ts';

/** Where a reading fails, as `code at`; undefined where it does not. */
const refusal = (value: unknown, read: (fields: JsonFields) => unknown): string | undefined => {
  try {
    read(new JsonFields(value, 'GrantInvalid'));
    return undefined;
  } catch (error) {
    assert.instanceOf(error, PolicyError);
    assert.match(error.message, /^(?:it|`\/[^\n]*`) [^A-Z\n]*[^.\n]$/u);
    return `${error.code} ${error.at}`;
  }
};

describe('JsonFields', () => {
  const rows: readonly [title: string, (fields: JsonFields) => unknown, fine: unknown[], wrong: unknown[]][] =
    [
      ['text', (fields) => fields.text('x', 3), ['a', 'abc', ' a'], ['', '  ', 'abcd', 1, null, ['a'], true]],
      [
        'texts',
        (fields) => fields.texts('x', { count: 2, length: 3 }),
        [[], ['a'], ['a', 'abc']],
        [['a', 'b', 'c'], 'a', { 0: 'a', length: 1 }, null],
      ],
      [
        'wholeNumber',
        (fields) => fields.wholeNumber('x', 1, 3),
        [1, 2, 3],
        [0, 4, 1.5, '2', Number.NaN, null, 1e20],
      ],
      ['oneOf', (fields) => fields.oneOf('x', ['read', 'write']), ['read', 'write'], ['Read', '', 1, null]],
      ['members', (fields) => fields.members('x'), [{}, { a: 1 }], [[], 'a', null, 1]],
    ];
  for (const [title, read, fine, wrong] of rows) {
    it(`reads ${title}`, () => {
      for (const x of fine) assert.isUndefined(refusal({ x }, read), JSON.stringify(x));
      for (const x of wrong) assert.equal(refusal({ x }, read), 'GrantInvalid /x', JSON.stringify(x));
      assert.equal(refusal({}, read), 'GrantInvalid /x');
    });
  }

  it('gives what was read, once', () => {
    const fields = new JsonFields({ a: 'x', b: ['y'], c: 2, d: 'two', e: { f: 1 } }, 'RequestInvalid');
    assert.isTrue(fields.has('a'));
    assert.equal(fields.text('a', 1), 'x');
    assert.isFalse(fields.has('a'));
    assert.deepEqual(fields.texts('b', { count: 1, length: 1 }), ['y']);
    assert.equal(fields.wholeNumber('c', 2, 2), 2);
    assert.equal(fields.oneOf('d', ['one', 'two']), 'two');
    assert.deepEqual(fields.members('e'), [['f', 1]]);
    fields.done();
  });

  it('tells what is missing from what is wrong', () => {
    const fields = new JsonFields({ a: null }, 'GrantInvalid');
    assert.throws(() => fields.text('a', 3), '`/a` must be a text of 1 to 3 characters');
    assert.throws(() => fields.text('b', 3), '`/b` is missing');
  });

  it('names the entry of a list', () => {
    const read = (fields: JsonFields) => fields.texts('x', { count: 2, length: 3 });
    assert.equal(refusal({ x: ['a', ''] }, read), 'GrantInvalid /x/1');
    assert.equal(refusal({ x: [1] }, read), 'GrantInvalid /x/0');
  });

  it('refuses what nobody asked for, and what is no object', () => {
    assert.equal(
      refusal({ 'a/b': 1 }, (fields) => fields.done()),
      'GrantInvalid /a~1b',
    );
    assert.equal(
      refusal(JSON.parse('{"__proto__": 1}'), (fields) => fields.done()),
      'GrantInvalid /__proto__',
    );
    for (const value of [null, [], 'a', 1, undefined]) {
      assert.equal(
        refusal(value, () => undefined),
        'GrantInvalid ',
      );
    }
  });

  it('keeps the cause', () => {
    const cause = new Error('why');
    const error = new JsonFields({}, 'GrantInvalid').invalid('/x', 'is wrong', { cause });
    assert.equal(error.message, '`/x` is wrong');
    assert.equal(error.cause, cause);
  });
});
