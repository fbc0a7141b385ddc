// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { Deadlines } from '../../dbus/deadlines.ts';

describe('dbus/deadlines', () => {
  /** Keeps the process there, as a connection does: a deadline does not. */
  let alive: NodeJS.Timeout;
  beforeEach(() => {
    alive = setInterval(() => undefined, 1000);
  });
  afterEach(() => clearInterval(alive));

  /** Adds one deadline for each number of milliseconds; resolves with the order in which they expired, `last` included. */
  const order = (waits: readonly number[], last: number): Promise<number[]> =>
    new Promise((resolve) => {
      const deadlines = new Deadlines();
      const expired: number[] = [];
      for (const ms of waits) {
        deadlines.add(ms, () => {
          expired.push(ms);
          if (ms === last) resolve(expired);
        });
      }
    });

  it('expires each when its time is over, whichever was added first', async () => {
    assert.deepEqual(await order([40, 5, 20], 40), [5, 20, 40]);
    assert.deepEqual(await order([5, 40, 20], 40), [5, 20, 40]);
  });

  it('never expires what was met, nor what has no end', async () => {
    const deadlines = new Deadlines();
    const expired: string[] = [];
    const never = deadlines.add(Number.POSITIVE_INFINITY, () => expired.push('never'));
    const met = deadlines.add(1, () => expired.push('met'));
    deadlines.met(met);
    deadlines.met(never);
    await new Promise<void>((resolve) => {
      deadlines.add(10, resolve);
    });
    assert.deepEqual(expired, []);
  });

  it('one that expires may meet another, and add some', async () => {
    const deadlines = new Deadlines();
    const expired: string[] = [];
    await new Promise<void>((resolve) => {
      deadlines.add(5, () => {
        expired.push('first');
        deadlines.met(second);
        deadlines.add(2, () => {
          expired.push('third');
          resolve();
        });
      });
      const second = deadlines.add(5, () => expired.push('second'));
    });
    assert.deepEqual(expired, ['first', 'third']);
  });

  it('does not mistake a very long wait for a very short one', async () => {
    assert.deepEqual(await order([2 ** 40, 10], 10), [10]);
  });
});
