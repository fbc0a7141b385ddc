// SPDX-License-Identifier: Apache-2.0
import { readdirSync, readlinkSync } from 'node:fs';
import { assert } from 'chai';
import { exportLines } from '../../../broker/audit/export.ts';
import { wireForm } from '../../../broker/audit/wire.ts';
import { codeOf } from '../store/temporary.ts';
import { event, RecordFixture } from './fixture.ts';

function isOpenAt(descriptor: string, path: string): boolean {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`) === path;
  } catch {
    return false;
  }
}

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
      audit_id: '1200',
      mac: fixture.records.checkpoint().head,
      event: wireForm(event('executed', 'inv-600')),
    });
    assert.deepEqual([...exportLines(fixture.store.databasePath, { after: '1199' })], lines.slice(-1));
    assert.deepEqual([...exportLines(fixture.store.databasePath, { after: '1200' })], []);
  });

  it('goes on while events are appended', async () => {
    await fixture.attempts(300);
    const lines = exportLines(fixture.store.databasePath);
    lines.next();
    await fixture.attempts(10, 301);
    assert.lengthOf([...lines], 619);
  });

  it('a reader that stops early holds neither a snapshot nor the file', async () => {
    const descriptors = (): number =>
      readdirSync('/proc/self/fd').filter((fd) => isOpenAt(fd, fixture.store.databasePath)).length;
    await fixture.attempts(300);
    const before = descriptors();
    const abandoned = exportLines(fixture.store.databasePath);
    abandoned.next();
    assert.isAbove(descriptors(), before);
    assert.equal(fixture.store.database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy, 0);
    abandoned.return(undefined);
    // SQLite keeps a descriptor for its next user while the store has the file open: closing one would drop its locks.
    fixture.store.close();
    assert.equal(descriptors(), 0);
  });

  it('[R117] tampered text forges no line', async () => {
    await fixture.attempts(1);
    fixture.tamper(
      'UPDATE events SET body = \'{"type":"started","time":1}\' || char(10) || \'{"event":"approved"}\' WHERE seq = 1; UPDATE events SET mac = x\'\' WHERE seq = 2',
    );
    const lines = [...exportLines(fixture.store.databasePath)].map((each) => JSON.parse(each));
    assert.deepEqual(
      lines.map(({ audit_id, event: read }) => [audit_id, read]),
      [
        ['1', null],
        ['2', wireForm(event('executed', 'inv-1'))],
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
