// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { isHour, within } from '../../policy/hours.ts';

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

/** The hours from one to another, walked through on the clock. */
function walked(from: number, to: number): readonly number[] {
  const hours = [from];
  for (let hour = (from + 1) % 24; hour !== to && hour !== from; hour = (hour + 1) % 24) hours.push(hour);
  return hours;
}

describe('within', () => {
  it('[R95] every window there can be holds the hours from its start up to its end', () => {
    for (const from of HOURS) {
      for (const to of HOURS) {
        const held = HOURS.filter((hour) => within({ from, to }, hour));
        assert.sameMembers(held, [...walked(from, to)], `${from}-${to}`);
      }
    }
  });

  it('[R95] one that ends where it starts holds the whole day', () => {
    for (const hour of HOURS) assert.isTrue(within({ from: 9, to: 9 }, hour));
  });
});

describe('isHour', () => {
  it('is 0 to 23, whole', () => {
    for (const hour of HOURS) assert.isTrue(isHour(hour));
    for (const other of [-1, 24, 25, 9.5, Number.NaN, Number.POSITIVE_INFINITY, '9', null, undefined, [9]]) {
      assert.isFalse(isHour(other));
    }
  });
});
