// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { CallError } from '../../../broker/bus/errors.ts';
import { WorkBudget } from '../../../broker/bus/work-budget.ts';
import { session } from '../session.ts';

const UNIT = 16_384;

describe('broker/bus/work-budget', () => {
  let now: number;
  let budget: WorkBudget;
  const [one, same, other] = [
    session(':1.1', { pid: 11 }),
    session(':1.2', { pid: 11 }),
    session(':1.3', { pid: 12 }),
  ];

  beforeEach(() => {
    now = 1000;
    budget = new WorkBudget({ quotas: { workAtOnce: 10, workPerSecond: 2 }, now: () => now });
  });

  const spend = (by = one, units = 1, bytes = 0): string => {
    try {
      budget.spend(by, units, bytes);
      return 'spent';
    } catch (error) {
      if (error instanceof CallError) return error.code;
      throw error;
    }
  };
  const spendAll = (by = one): number => {
    let count = 0;
    while (spend(by) === 'spent') count += 1;
    return count;
  };

  it('[R106] is so much at once for one process, whatever the number of its connections', () => {
    assert.equal(spendAll(), 10);
    assert.equal(spend(same), 'LimitsExceeded');
    assert.equal(spendAll(other), 10);
  });

  it('[R106] comes back with time, and never more than at first', () => {
    spendAll();
    now += 1500;
    assert.equal(spendAll(), 3);
    now += 3_600_000;
    assert.equal(spendAll(), 10);
  });

  it('[R106] counts what goes in and what goes out, by its size', () => {
    budget.spend(one, 0, 4 * UNIT);
    budget.answered(one, 5 * UNIT);
    assert.equal(spendAll(), 1);
  });

  it('[R106] lets one large call through, which has then to be made up for', () => {
    assert.equal(spend(one, 1, 63 * UNIT), 'spent');
    now += 26_000;
    assert.equal(spend(), 'LimitsExceeded');
    now += 2000;
    assert.equal(spend(), 'spent');
  });

  it('is not fooled by a clock that is put back', () => {
    spendAll();
    now -= 500;
    assert.equal(spend(), 'LimitsExceeded');
    now += 500;
    assert.equal(spendAll(), 1);
  });

  it('forgets first who owes nothing, and only then the oldest', () => {
    spendAll(one);
    for (let pid = 100; pid < 1100; pid += 1) spend(session(':1.9', { pid }));
    assert.equal(spend(one), 'spent', 'it was the oldest of so many');
    spendAll(other);
    now += 1000;
    for (let pid = 2000; pid < 2500; pid += 1) spend(session(':1.9', { pid }));
    assert.equal(spendAll(other), 2, 'the others had earned all back and went');
  });
});
