// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { keepHouse } from '../../broker/housekeeping.ts';
import { StoreError } from '../../broker/store/error.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));
const DAY_MS = 86_400_000;

describe('broker/housekeeping', () => {
  it('[R116] lets go of a backlog piece by piece, and notes the end of the chain elsewhere', async () => {
    const pruned: number[] = [];
    const left = [5000, 5000, 12, 0];
    const checkpoints: unknown[] = [];
    const decisions: number[] = [];
    const stop = keepHouse({
      records: {
        prune: (before) => {
          pruned.push(before);
          return left.shift() ?? 0;
        },
        checkpoint: () => ({ head: 'ab', count: 7 }),
      },
      policy: { decisions: { prune: (before) => decisions.push(before) } },
      sweep: () => undefined,
      retentionDays: 90,
      now: () => 100 * DAY_MS,
      log: { fault: () => '', checkpoint: (end) => checkpoints.push(end) },
    });
    assert.lengthOf(pruned, 1, 'others are served between two pieces');
    for (let index = 0; index < 5; index += 1) await turn();
    stop();
    assert.deepEqual(pruned, Array(4).fill(10 * DAY_MS));
    assert.deepEqual(decisions, [10 * DAY_MS]);
    assert.deepEqual(checkpoints, [{ head: 'ab', count: 7 }]);
  });

  it('survives a store that cannot be written, and says so in the log', () => {
    const faults: unknown[] = [];
    const failure = new StoreError('StoreFull', 'no space');
    const stop = keepHouse({
      records: {
        prune: () => {
          throw failure;
        },
        checkpoint: () => ({ head: '', count: 0 }),
      },
      policy: { decisions: { prune: () => 0 } },
      sweep: () => undefined,
      retentionDays: 1,
      now: () => 0,
      log: { fault: (error) => String(faults.push(error)), checkpoint: () => undefined },
    });
    stop();
    assert.deepEqual(faults, [failure]);
  });
});
