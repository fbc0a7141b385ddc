// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { Serials } from '../../dbus/serials.ts';

describe('dbus/serials', () => {
  it('draws numbers from 1 to 2^32-1 that do not follow from one another', () => {
    const serials = new Serials();
    const drawn = Array.from({ length: 5000 }, () => serials.draw(new Map()));
    assert.isTrue(drawn.every((serial) => Number.isInteger(serial) && serial > 0 && serial < 2 ** 32));
    // 5000 draws out of 2^32 meet by chance once in 350 runs; five times never.
    assert.isAbove(new Set(drawn).size, 4995);
    const steps = new Set(drawn.slice(1).map((serial, index) => serial - (drawn[index] ?? 0)));
    assert.isAbove(steps.size, 4990);
  });

  it('never draws a number that is taken', () => {
    let asked = 0;
    const taken = new Map<number, unknown>();
    taken.has = () => {
      asked += 1;
      return asked <= 300; // more than one batch
    };
    new Serials().draw(taken);
    assert.equal(asked, 301);
  });
});
