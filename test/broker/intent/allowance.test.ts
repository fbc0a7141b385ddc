// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { Allowances } from '../../../broker/intent/allowance.ts';

describe('Allowances', () => {
  let allowances: Allowances;
  beforeEach(() => {
    allowances = new Allowances({ turnMs: 60, namedTurnMs: 600, maxCounters: 3 });
  });
  const spend = (
    more: { principal?: string; capability?: string; turn?: string; now?: number; allowed?: number } = {},
  ) => allowances.spend({ principal: 'a', capability: 'c', turn: undefined, allowed: 2, now: 0, ...more });

  it('[R35] counts each principal and each capability apart', () => {
    assert.deepEqual([spend(), spend(), spend()], [true, true, false]);
    assert.isTrue(spend({ principal: 'b' }));
    assert.isTrue(spend({ capability: 'd' }));
  });

  it('[R35] starts afresh when the turn is over, and not before', () => {
    assert.deepEqual([spend(), spend(), spend({ now: 59 }), spend({ now: 60 })], [true, true, false, true]);
  });

  it('[R35] takes nothing where one of the two counters has nothing left', () => {
    assert.deepEqual([spend({ turn: 't' }), spend({ turn: 't' })], [true, true]);
    for (const now of [60, 61]) assert.isFalse(spend({ turn: 't', now }));
    assert.deepEqual([spend({ now: 62 }), spend({ now: 62 }), spend({ now: 62 })], [true, true, false]);
    assert.isTrue(spend({ turn: 'u', now: 122 }));
  });

  it('keeps no more counters than it may: new ones are refused until old ones end', () => {
    for (const principal of ['a', 'b', 'c']) assert.isTrue(spend({ principal }));
    assert.isFalse(spend({ principal: 'd', now: 59 }));
    assert.isTrue(spend({ principal: 'a', now: 59 }));
    assert.isTrue(spend({ principal: 'd', now: 60 }));
  });

  it("one caller's labels leave the others theirs", () => {
    for (let index = 0; index < 20; index += 1) spend({ turn: `t${index}` });
    assert.isTrue(spend({ principal: 'b', turn: 'mine' }));
    assert.isTrue(spend({ principal: 'b', turn: 'mine', now: 60 }));
    assert.isFalse(spend({ principal: 'b', turn: 'mine', now: 120 }));
  });

  it('forgets the oldest named turn when there are too many', () => {
    for (const turn of ['1', '2', '3']) assert.isTrue(spend({ turn, allowed: 9 }));
    assert.isTrue(spend({ turn: '4', allowed: 9 }));
    assert.isFalse(spend({ turn: '2', allowed: 1, now: 60 }));
    assert.isTrue(spend({ turn: '1', allowed: 1, now: 120 }));
  });
});
