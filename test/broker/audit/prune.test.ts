// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { assert } from 'chai';
import { AUDIT_LIMITS } from '../../../broker/audit/records.ts';
import { codeOf } from '../store/temporary.ts';
import { event, RecordFixture } from './fixture.ts';

describe('broker/audit/prune', () => {
  let fixture: RecordFixture;

  beforeEach(() => {
    fixture = new RecordFixture();
  });
  afterEach(() => fixture.remove());

  async function at(time: number, ...events: Parameters<typeof event>[]): Promise<void> {
    for (const [type, invocation] of events)
      await fixture.records.append({ ...event(type, invocation), time }, 'normal');
  }

  it('removes the oldest, records it, and the rest verifies', async () => {
    await at(10, ['requested', 'old-1'], ['executed', 'old-1']);
    await at(20, ['requested', 'inv-2'], ['executed', 'inv-2']);
    assert.equal(fixture.records.prune(20), 2);
    const report = fixture.verify();
    assert.deepEqual([report.ok, report.events, report.count], [true, 3, 5]);
    assert.include(report.cannotProve.join(), 'what the first 2 events said');
    assert.deepEqual(fixture.records.query({ type: 'pruned' })[0]?.event, {
      type: 'pruned',
      time: fixture.clock,
      count: 2,
    });
    assert.equal(fixture.records.prune(20), 0);
    assert.equal(fixture.verify().events, 3);
    fixture.reopen();
    await fixture.attempts(1, 5);
    assert.isTrue(fixture.verify().ok);
  });

  it('can remove everything and go on', async () => {
    await at(10, ['requested', 'old-1'], ['executed', 'old-1']);
    assert.equal(fixture.records.prune(1000), 2);
    fixture.clock = 2000;
    assert.equal(fixture.records.prune(fixture.clock * 1000), 1);
    fixture.reopen();
    await fixture.attempts(1, 5);
    assert.deepEqual([fixture.verify().ok, fixture.verify().events, fixture.verify().count], [true, 3, 6]);
  });

  it('stops at the first event that is not old, whatever comes after it', async () => {
    await at(10, ['denied', 'a']);
    await at(99, ['denied', 'b']);
    await at(11, ['denied', 'c']);
    assert.equal(fixture.records.prune(50), 1);
    assert.deepEqual(
      fixture.records.query().map((row) => row.event?.invocation),
      ['b', 'c', undefined],
    );
  });

  it('removes a bounded number at a time', async () => {
    fixture.reopen({ ...AUDIT_LIMITS, pruneRows: 4 });
    await fixture.attempts(5);
    assert.deepEqual(
      [1, 2, 3].map(() => fixture.records.prune(2000)),
      [4, 4, 2],
    );
    assert.deepEqual([fixture.verify().ok, fixture.verify().events], [true, 3]);
  });

  it('[R137] an intent whose record is removed while it is under way can still end, or be ended at the next start', async () => {
    await at(
      10,
      ['requested', 'slow-1'],
      ['requested', 'slow-2'],
      ['requested', 'executed'],
      ['executed', 'executed'],
    );
    assert.equal(fixture.records.prune(50), 4);
    assert.deepEqual(fixture.verify().unfinished, ['slow-1', 'slow-2']);
    await at(60, ['executed', 'slow-1']);
    assert.isTrue(fixture.verify().ok);
    fixture.reopen();
    assert.equal(fixture.records.recover(), 1);
    assert.equal(fixture.records.query({ type: 'unknown' })[0]?.event?.invocation, 'slow-2');
    assert.deepEqual([fixture.verify().ok, fixture.verify().unfinished], [true, []]);
    fixture.reopen();
    assert.equal(fixture.records.recover(), 0);
  });

  it('leaves nothing of what it removed in the file', async () => {
    for (let count = 0; count < 100; count += 1) await at(10, ['denied', `remembered-no-more-${count}`]);
    await at(60, ['denied', 'kept-on-file']);
    fixture.records.prune(50);
    fixture.records.close();
    fixture.store.close();
    const bytes = readFileSync(fixture.store.databasePath);
    assert.isFalse(bytes.includes('remembered-no-more'));
    assert.isTrue(bytes.includes('kept-on-file'));
  });

  it('[R131] does not tidy away what was tampered with', async () => {
    await at(10, ['denied', 'a'], ['denied', 'b'], ['denied', 'c'], ['denied', 'd']);
    fixture.tamper('UPDATE events SET body = replace(body, \'"a"\', \'"x"\') WHERE seq = 1');
    fixture.reopen();
    assert.equal(
      codeOf(() => fixture.records.prune(50)),
      'StoreCorrupt',
    );
    assert.deepEqual([fixture.verify().events, fixture.verify().firstBad?.seq], [4, 1]);
  });

  it('[R131] an anchor moved, or its open intents edited, is found', async () => {
    await at(10, ['requested', 'slow-1'], ['denied', 'b'], ['denied', 'c']);
    fixture.records.prune(50);
    for (const [field, value] of [
      ['seq', 'seq - 1'],
      ['mac', 'zeroblob(32)'],
      ['open', "'[]'"],
    ] as const) {
      fixture.tamper(`CREATE TEMP TABLE kept AS SELECT ${field} AS value FROM anchor; UPDATE anchor SET ${field} = ${value};
        CREATE TABLE IF NOT EXISTS aside (value); INSERT INTO aside SELECT value FROM kept`);
      assert.equal(fixture.verify().problems.find(({ kind }) => kind === 'anchor-forged')?.seq, 0, field);
      fixture.tamper(`UPDATE anchor SET ${field} = (SELECT value FROM aside); DROP TABLE aside`);
      assert.isTrue(fixture.verify().ok, field);
    }
    fixture.tamper("UPDATE anchor SET open = '[]'");
    assert.equal(
      codeOf(() => fixture.reopen()),
      'StoreCorrupt',
    );
  });

  it('when it cannot be written, nothing is removed', async () => {
    await fixture.attempts(2);
    const before = fixture.records.checkpoint();
    fixture.store.database.exec('PRAGMA query_only = ON');
    assert.equal(
      codeOf(() => fixture.records.prune(2000)),
      'StoreReadOnly',
    );
    fixture.store.database.exec('PRAGMA query_only = OFF');
    assert.deepEqual(fixture.records.checkpoint(), before);
    assert.deepEqual([fixture.verify().ok, fixture.verify().events], [true, 4]);
  });

  it('a checkpoint from before the removal can no longer be compared, and that is said', async () => {
    await at(10, ['denied', 'a']);
    const { head, count } = fixture.records.checkpoint();
    await at(10, ['denied', 'b']);
    assert.equal(fixture.records.prune(50), 2);
    const report = fixture.verify({ expectHead: head, expectCount: count });
    assert.isTrue(report.ok);
    assert.include(report.cannotProve.join(), 'retention removed its event');
    assert.notInclude(report.proves.join(), 'checkpoint');
  });
});
