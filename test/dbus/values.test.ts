// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { asDictionary, exceedsBytes, variant } from '../../dbus/values.ts';
import { thrownBy } from './failure.ts';

describe('dbus/values', () => {
  it('reads a dictionary with its variants unwrapped once', () => {
    const inner = variant('u', 1);
    const map = asDictionary([
      ['__proto__', variant('s', 'x')],
      ['nested', variant('v', inner)],
    ]);
    assert.deepEqual(
      [...map],
      [
        ['__proto__', 'x'],
        ['nested', inner],
      ],
    );
  });

  const bad: readonly [what: string, value: unknown][] = [
    [
      'a key given twice',
      [
        ['a', variant('s', '1')],
        ['a', variant('s', '2')],
      ],
    ],
    ['a plain object', { a: variant('s', '1') }],
    ['an entry of three', [['a', variant('s', '1'), 1]]],
    ['an entry that is no pair', ['ab']],
    ['a key that is no string', [[1, variant('s', '1')]]],
    ['a value that is no variant', [['a', '1']]],
    ['nothing', undefined],
  ];
  for (const [what, value] of bad) {
    it(`refuses ${what}`, () => assert.equal(thrownBy(() => asDictionary(value)).code, 'invalid'));
  }

  it('adds up what a value holds', () => {
    const value = ['12345', Buffer.alloc(5), variant('s', '12345'), { '12345': '12345' }, 7, null];
    const size = 25 + value.length;
    assert.isFalse(exceedsBytes(value, size));
    assert.isTrue(exceedsBytes(value, size - 1));
  });
});
