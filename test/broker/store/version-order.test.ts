// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import fc from 'fast-check';
import { compareVersions, isOrdered } from '../../../broker/store/version-order.ts';

describe('broker/store/version-order', () => {
  it('[R126] compares parts as numbers', () => {
    const cases: readonly [string, string, number][] = [
      ['1.10', '1.9', 1],
      ['1.9', '1.10', -1],
      ['1', '1.0.0', 0],
      ['01.2', '1.2', 0],
      ['2', '1.99.99', 1],
      ['1.0.1', '1', 1],
      ['9007199254740993', '9007199254740992', 1],
    ];
    for (const [a, b, expected] of cases) assert.equal(compareVersions(a, b), expected, `${a} ${b}`);
  });

  it('orders nothing else', () => {
    for (const text of [
      '',
      '1.',
      '.1',
      '1..2',
      'v1',
      '1.0-beta',
      '-1',
      '1 ',
      '1\n',
      '١',
      '1'.repeat(19),
      `${'1.'.repeat(10)}1`,
    ]) {
      assert.isFalse(isOrdered(text), JSON.stringify(text));
    }
  });

  it('is an order', () => {
    const version = fc.array(fc.nat(30), { minLength: 1, maxLength: 4 }).map((parts) => parts.join('.'));
    fc.assert(
      fc.property(version, version, version, (a, b, c) => {
        assert.equal(compareVersions(a, b), 0 - compareVersions(b, a));
        if (compareVersions(a, b) <= 0 && compareVersions(b, c) <= 0)
          assert.isAtMost(compareVersions(a, c), 0);
      }),
    );
  });
});
