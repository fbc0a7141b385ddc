// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { Breaker } from '../../tier2-atspi/breaker.ts';

describe('tier2-atspi/breaker', () => {
  let now = 0;
  const breaker = () => {
    now = 1000;
    return new Breaker({ probeAfterMs: 100, probeAtMostMs: 350 }, () => now);
  };

  it('opens at the first wait in vain, and is due after a while', () => {
    const one = breaker();
    assert.equal(one.state, 'closed');
    assert.equal(one.waitMs, 0);
    one.unanswered();
    assert.equal(one.state, 'open');
    assert.equal(one.waitMs, 100);
    now += 99;
    assert.equal(one.state, 'open');
    now += 1;
    assert.equal(one.state, 'due');
    assert.equal(one.waitMs, 0);
  });

  it('waits twice as long each time, up to a limit', () => {
    const one = breaker();
    const waits = [1, 2, 3, 4].map(() => {
      one.unanswered();
      const wait = one.waitMs;
      now += wait;
      return wait;
    });
    assert.deepEqual(waits, [100, 200, 350, 350]);
  });

  it('many waits in vain at once are one', () => {
    const one = breaker();
    one.unanswered();
    one.unanswered();
    assert.equal(one.waitMs, 100);
  });

  it('an answer closes it, and forgets', () => {
    const one = breaker();
    one.unanswered();
    now += 100;
    one.unanswered();
    one.answered();
    assert.equal(one.state, 'closed');
    one.unanswered();
    assert.equal(one.waitMs, 100);
  });
});
