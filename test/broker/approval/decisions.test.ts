// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { Decisions } from '../../../broker/approval/decisions.ts';
import { RecordFixture } from '../audit/fixture.ts';

describe('broker/approval/decisions', () => {
  let fixture: RecordFixture;
  let decisions: Decisions;

  beforeEach(() => {
    fixture = new RecordFixture();
    decisions = new Decisions(fixture.store);
  });
  afterEach(() => fixture.remove());

  it('[R105] finds what was decided about a principal and a capability, newest first and bounded', () => {
    decisions.note('agent', 'a.b', 'once', 10);
    decisions.note('agent', 'a.b', 'deny', 30);
    decisions.note('agent', 'a.b', 'session', 20);
    decisions.note('agent', 'a.b', 'grant', 30);
    decisions.note('agent', 'a.c', 'once', 40);
    decisions.note('other', 'a.b', 'once', 40);
    assert.deepEqual(decisions.earlier('agent', 'a.b', 3), [
      { decision: 'grant', time: 30 },
      { decision: 'deny', time: 30 },
      { decision: 'session', time: 20 },
    ]);
    assert.deepEqual(decisions.earlier('nobody', 'a.b', 3), []);
  });

  it('[R105] outlives the process, and forgets what is older than it is kept', () => {
    decisions.note('agent', 'a.b', 'once', 10);
    decisions.note('agent', 'a.b', 'deny', 20);
    fixture.reopen();
    decisions = new Decisions(fixture.store);
    assert.equal(decisions.prune(20), 1);
    assert.deepEqual(decisions.earlier('agent', 'a.b', 9), [{ decision: 'deny', time: 20 }]);
  });

  it('[R105] is undone with the transaction that it is noted in', () => {
    const failure = new Error('the rest failed');
    assert.throws(() =>
      fixture.store.transaction('full', () => {
        decisions.note('agent', 'a.b', 'once', 10);
        throw failure;
      }),
    );
    assert.deepEqual(decisions.earlier('agent', 'a.b', 9), []);
  });
});
