// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import { assert } from 'chai';
import { ProgressPace } from '../../../broker/bus/progress-pace.ts';

describe('broker/bus/progress-pace', () => {
  it('[R155] passes on the first at once and of what comes faster the newest', async () => {
    const pace = new ProgressPace(5);
    const told: string[] = [];
    for (let part = 0; part < 1000; part += 1) pace.report('a', () => told.push(`a${part}`));
    pace.report('b', () => told.push('b'));
    assert.deepEqual(told, ['a0', 'b']);
    while (told.length < 3) await sleep(1);
    assert.deepEqual(told, ['a0', 'b', 'a999']);
  });

  it('[R155] passes on at once what comes after a pause', async () => {
    const pace = new ProgressPace(1);
    const told: number[] = [];
    pace.report('a', () => told.push(1));
    // A report in the pause shows that the pause is over.
    pace.report('a', () => told.push(2));
    while (told.length < 2) await sleep(1);
    for (let part = 3; told.length < 5; part += 1) {
      pace.report('a', () => told.push(part));
      await sleep(1);
    }
    assert.deepEqual(
      told,
      told.toSorted((a, b) => a - b),
    );
  });
});
