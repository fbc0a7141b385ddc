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

  it('keeps no more counters of one caller than it may: new ones are refused until old ones end', () => {
    for (const capability of ['1', '2', '3']) assert.isTrue(spend({ capability }));
    assert.isFalse(spend({ capability: '4', now: 59 }));
    assert.isTrue(spend({ capability: '1', now: 59 }));
    assert.isTrue(spend({ capability: '4', now: 60 }));
  });

  it('no caller can use up the counters of another, and who has not come for longest is forgotten first', () => {
    for (let caller = 0; caller < 5000; caller += 1) {
      for (const capability of ['1', '2', '3']) spend({ principal: `p${caller}`, capability });
    }
    assert.isTrue(spend({ principal: 'late' }));
    assert.deepEqual(
      [spend({ principal: 'p4999', capability: '1' }), spend({ principal: 'p4999', capability: '1' })],
      [true, false],
    );
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
