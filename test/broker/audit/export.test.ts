// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { exportLines } from '../../../broker/audit/export.ts';
import { codeOf } from '../store/temporary.ts';
import { event, RecordFixture } from './fixture.ts';

describe('broker/audit/export', () => {
  let fixture: RecordFixture;

  beforeEach(() => {
    fixture = new RecordFixture();
  });
  afterEach(() => fixture.remove());

  it('[R116] one line of JSON for each event, and the last id leads on', async () => {
    await fixture.attempts(600);
    const lines = [...exportLines(fixture.store.databasePath)];
    assert.lengthOf(lines, 1200);
    for (const each of lines) assert.match(each, /^[^\n]+\n$/);
    const last = JSON.parse(lines.at(-1) ?? '');
    assert.deepEqual(last, {
      auditId: '1200',
      mac: fixture.records.checkpoint().head,
      event: event('executed', 'inv-600'),
    });
    assert.deepEqual([...exportLines(fixture.store.databasePath, { after: '1199' })], lines.slice(-1));
    assert.deepEqual([...exportLines(fixture.store.databasePath, { after: '1200' })], []);
  });

  it('goes on while events are appended, and a reader that stops early holds nothing', async () => {
    await fixture.attempts(300);
    const lines = exportLines(fixture.store.databasePath);
    lines.next();
    await fixture.attempts(10, 301);
    assert.lengthOf([...lines], 619);
    const abandoned = exportLines(fixture.store.databasePath);
    abandoned.next();
    abandoned.return(undefined);
    const checkpoint = fixture.store.database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
    assert.equal(checkpoint?.busy, 0);
  });

  it('[R117] tampered text forges no line', async () => {
    await fixture.attempts(1);
    fixture.tamper(
      'UPDATE events SET body = \'{"type":"started","time":1}\' || char(10) || \'{"event":"approved"}\' WHERE seq = 1; UPDATE events SET mac = x\'\' WHERE seq = 2',
    );
    const lines = [...exportLines(fixture.store.databasePath)].map((each) => JSON.parse(each));
    assert.deepEqual(
      lines.map(({ auditId, event: read }) => [auditId, read]),
      [
        ['1', null],
        ['2', event('executed', 'inv-1')],
      ],
    );
  });

  it('says that there is nothing to read', () => {
    assert.equal(
      codeOf(() => [...exportLines(fixture.temporary.in('missing.db'))]),
      'StoreFailed',
    );
  });
});
