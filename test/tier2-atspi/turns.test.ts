// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { inTurns } from '../../tier2-atspi/turns.ts';

describe('tier2-atspi/turns', () => {
  it('gives results in order, with a bounded number under way', async () => {
    let under = 0;
    let most = 0;
    const results = await inTurns([5, 4, 3, 2, 1], 2, async (item) => {
      under += 1;
      most = Math.max(most, under);
      for (let turn = 0; turn < item; turn += 1) await Promise.resolve();
      under -= 1;
      return item * 10;
    });
    assert.deepEqual(results, [50, 40, 30, 20, 10]);
    assert.equal(most, 2);
    assert.deepEqual(await inTurns([], 2, () => 1), []);
    assert.deepEqual(await inTurns([1, 2], 9, (item) => item), [1, 2]);
  });

  it('begins nothing after a failure, and leaves none unhandled', async () => {
    const begun: number[] = [];
    const failing = inTurns([1, 2, 3, 4, 5], 2, async (item) => {
      begun.push(item);
      await Promise.resolve();
      throw new Error(`item ${item}`);
    });
    const failure = await failing.catch((error: unknown) => error);
    assert.instanceOf(failure, Error);
    assert.deepEqual(begun, [1, 2]);
  });
});
