// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { Outcomes } from '../../broker/outcomes.ts';

const HOUR = 3_600_000;

describe('Outcomes', () => {
  it('[R155] [R137] a principal finds what became of its own, for an hour', () => {
    const outcomes = new Outcomes(10_000);
    outcomes.keep('i1', 'agent', 'unknown', '{}', 0);
    assert.deepInclude(outcomes.find('i1', 'agent', HOUR - 1), { status: 'unknown', text: '{}' });
    assert.isUndefined(outcomes.find('i1', 'agent', HOUR));
    assert.isUndefined(outcomes.find('i1', 'other', 0));
    assert.isUndefined(outcomes.find('i2', 'agent', 0));
  });

  it('forgets the oldest first when there is too much', () => {
    const outcomes = new Outcomes(3 * 400);
    for (const name of ['a', 'b', 'c']) outcomes.keep(name, 'agent', 'executed', 'x'.repeat(100), 0);
    assert.isDefined(outcomes.find('a', 'agent', 0));
    outcomes.keep('d', 'agent', 'executed', 'x'.repeat(101), 0);
    const left = ['a', 'b', 'c', 'd'].filter((name) => outcomes.find(name, 'agent', 0) !== undefined);
    assert.deepEqual(left, ['c', 'd']);
  });

  it('keeps nothing that is too large alone', () => {
    const outcomes = new Outcomes(400);
    outcomes.keep('a', 'agent', 'executed', 'x', 0);
    outcomes.keep('b', 'agent', 'executed', 'x'.repeat(101), 0);
    assert.isUndefined(outcomes.find('a', 'agent', 0));
    assert.isUndefined(outcomes.find('b', 'agent', 0));
    outcomes.keep('c', 'agent', 'executed', 'x'.repeat(100), 0);
    assert.isDefined(outcomes.find('c', 'agent', 0));
  });

  it('stays within its bound however many come', () => {
    const outcomes = new Outcomes(40_000);
    const names = Array.from({ length: 1000 }, (_, index) => `i${index}`);
    for (const name of names) outcomes.keep(name, 'agent', 'executed', 'x'.repeat(100), 0);
    const left = names.filter((name) => outcomes.find(name, 'agent', 0) !== undefined);
    assert.deepEqual(left, names.slice(-left.length), 'the newest are what is left');
    assert.isAtMost(left.length, 100);
    assert.isAtLeast(left.length, 75);
  });
});
