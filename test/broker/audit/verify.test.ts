// SPDX-License-Identifier: Apache-2.0
import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { assert } from 'chai';
import { verifyChain } from '../../../broker/audit/verify.ts';
import { codeOf } from '../store/temporary.ts';
import { event, RecordFixture } from './fixture.ts';

describe('broker/audit/verify', () => {
  let fixture: RecordFixture;

  beforeEach(async () => {
    fixture = new RecordFixture();
    await fixture.attempts(5);
  });
  afterEach(() => fixture.remove());

  const problems = (): unknown[] => fixture.verify().problems.map(({ seq, kind }) => `${seq} ${kind}`);

  it('[R131] an untouched record verifies while the broker goes on writing it', async () => {
    const report = fixture.verify();
    assert.deepEqual([report.ok, report.events, report.count, report.unfinished], [true, 10, 10, []]);
    assert.equal(report.head, fixture.records.checkpoint().head);
    assert.notProperty(report, 'firstBad');
    await fixture.attempts(1, 6);
    assert.deepEqual([fixture.verify().ok, fixture.verify().events], [true, 12]);
  });

  const tampering: readonly [what: string, sql: string, found: readonly string[]][] = [
    [
      'a changed body',
      "UPDATE events SET body = replace(body, 'inv-2', 'inv-x') WHERE seq IN (3, 4)",
      ['3 mac-wrong', '4 mac-wrong'],
    ],
    [
      'a changed time',
      "UPDATE events SET body = replace(body, '1000', '1001') WHERE seq = 4",
      ['4 mac-wrong'],
    ],
    [
      'bytes hidden behind a NUL',
      "UPDATE events SET body = body || char(0) || 'x' WHERE seq = 4",
      ['4 mac-wrong', '4 not-an-event'],
    ],
    ['a changed MAC', 'UPDATE events SET mac = zeroblob(32) WHERE seq = 4', ['4 mac-wrong', '5 mac-wrong']],
    [
      'a MAC cut short',
      'UPDATE events SET mac = substr(mac, 1, 31) WHERE seq = 4',
      ['4 mac-wrong', '5 mac-wrong'],
    ],
    ['no event at all', "UPDATE events SET body = 'gone' WHERE seq = 4", ['4 mac-wrong', '4 not-an-event']],
    ['a removed attempt', 'DELETE FROM events WHERE seq IN (3, 4)', ['5 sequence-gap']],
    ['a removed outcome', 'DELETE FROM events WHERE seq = 4', ['5 sequence-gap']],
    ['a removed beginning', 'DELETE FROM events WHERE seq <= 4', ['5 sequence-gap']],
    [
      'a removed event with the rest renumbered',
      'DELETE FROM events WHERE seq = 10; DELETE FROM events WHERE seq = 9; UPDATE events SET seq = 9 WHERE seq = 8',
      ['9 sequence-gap'],
    ],
    [
      'two rows swapped',
      'UPDATE events SET seq = 100 WHERE seq = 3; UPDATE events SET seq = 3 WHERE seq = 5; UPDATE events SET seq = 5 WHERE seq = 100',
      ['3 mac-wrong', '4 mac-wrong', '4 outcome-without-intent', '5 mac-wrong', '6 mac-wrong'],
    ],
    [
      'a copy put at the end',
      'INSERT INTO events SELECT 11, body, mac FROM events WHERE seq = 10',
      ['11 mac-wrong', '11 outcome-without-intent', '11 recorded-twice'],
    ],
    [
      'an event before the first',
      "INSERT INTO events SELECT 0, '{}', mac FROM events WHERE seq = 10",
      ['0 not-an-event', '0 sequence-gap', '1 mac-wrong'],
    ],
    [
      'a forged retention',
      "DELETE FROM events WHERE seq <= 4; INSERT INTO anchor VALUES (1, 4, zeroblob(32), '[]', zeroblob(32))",
      ['0 anchor-forged', '5 sequence-gap'],
    ],
    [
      'an anchor that is none',
      "INSERT INTO anchor VALUES (1, 4, zeroblob(32), '{', zeroblob(32))",
      ['0 anchor-forged'],
    ],
    [
      'a dropped guard',
      'CREATE TRIGGER other AFTER INSERT ON manifests BEGIN SELECT 1; END',
      ['0 schema-edited'],
    ],
  ];
  for (const [what, sql, found] of tampering) {
    it(`[R131] finds ${what}`, () => {
      fixture.tamper(sql);
      assert.sameMembers(problems(), [...found]);
      assert.isFalse(fixture.verify().ok);
      assert.deepEqual(fixture.verify().proves, []);
      assert.equal(fixture.verify().firstBad?.seq, Number(found[0]?.split(' ')[0]));
    });
  }

  it('[R131] finds a tail that was cut, given a checkpoint from outside', () => {
    const { head, count } = fixture.records.checkpoint();
    fixture.tamper('DELETE FROM events WHERE seq > 8');
    assert.isTrue(fixture.verify().ok, 'without one it cannot be known');
    assert.include(fixture.verify().cannotProve.join(), 'no checkpoint from outside');
    for (const expected of [
      { expectHead: head, expectCount: count },
      { expectCount: count },
      { expectHead: head },
    ]) {
      assert.deepEqual(fixture.verify(expected).firstBad, { seq: 8, kind: 'checkpoint-missing' });
    }
  });

  it('[R131] finds a replaced file, given a checkpoint from outside', async () => {
    const checkpoint = fixture.records.checkpoint();
    const expected = { expectHead: checkpoint.head, expectCount: checkpoint.count };
    await fixture.attempts(1, 6);
    assert.isTrue(fixture.verify(expected).ok);
    assert.isTrue(
      fixture.verify({ expectHead: checkpoint.head.toUpperCase(), expectCount: checkpoint.count }).ok,
    );
    assert.isTrue(fixture.verify({ expectHead: checkpoint.head }).ok);
    assert.include(fixture.verify(expected).cannotProve.join(), 'after the checkpoint');

    // The same broker, key and number of events, but another history.
    const other = new RecordFixture();
    other.store.close();
    copyFileSync(fixture.store.keyPath, other.store.keyPath);
    other.reopen();
    await other.attempts(6, 100);
    assert.isTrue(other.verify().ok);
    assert.deepEqual(other.verify(expected).firstBad, { seq: 10, kind: 'checkpoint-differs' });
    assert.equal(other.verify({ expectHead: checkpoint.head }).firstBad?.kind, 'checkpoint-missing');
    other.remove();
  });

  it('[R131] an older copy put back lacks the checkpoint', async () => {
    fixture.records.close();
    fixture.store.close();
    const copy = fixture.temporary.in('copy.db');
    copyFileSync(fixture.store.databasePath, copy);
    fixture.reopen();
    await fixture.attempts(1, 6);
    const { head, count } = fixture.records.checkpoint();
    const report = verifyChain(copy, fixture.store.keyPath, { expectHead: head, expectCount: count });
    assert.deepEqual(report.firstBad, { seq: 10, kind: 'checkpoint-missing' });
  });

  it('an intent under way is unfinished, not a problem', async () => {
    await fixture.records.append(event('requested', 'inv-9'), 'full');
    assert.deepEqual([fixture.verify().ok, fixture.verify().unfinished], [true, ['inv-9']]);
  });

  it('finds outcomes without an intent and attempts that end or begin twice, which only a fault of ours writes', async () => {
    await fixture.records.append(event('failed', 'never-began'), 'normal');
    await fixture.records.append(event('denied', 'inv-1'), 'normal');
    await fixture.records.append(event('requested', 'inv-2'), 'normal');
    await fixture.records.append(event('expired', 'asked'), 'normal');
    assert.sameMembers(problems(), ['11 outcome-without-intent', '12 recorded-twice', '13 recorded-twice']);
  });

  it('without the key it checks the order alone and says so', () => {
    fixture.tamper("UPDATE events SET body = replace(body, '1000', '1001') WHERE seq = 4");
    const report = verifyChain(fixture.store.databasePath);
    assert.isTrue(report.ok);
    assert.lengthOf(report.proves, 1);
    assert.include(report.cannotProve.join(), 'no key was given');
    fixture.tamper('DELETE FROM events WHERE seq = 4');
    assert.deepEqual(verifyChain(fixture.store.databasePath).firstBad, { seq: 5, kind: 'sequence-gap' });
  });

  it('another key fits nothing, and always it says that a holder of the key could rewrite', () => {
    const other = fixture.temporary.in('other.key');
    writeFileSync(other, Buffer.alloc(32, 7));
    assert.equal(verifyChain(fixture.store.databasePath, other).problems.length, 10);
    assert.include(fixture.verify().cannotProve.join(), 'holds the key');
    writeFileSync(other, Buffer.alloc(16));
    assert.equal(
      codeOf(() => verifyChain(fixture.store.databasePath, other)),
      'StoreUnsafe',
    );
    rmSync(other);
    assert.equal(
      codeOf(() => verifyChain(fixture.store.databasePath, other)),
      'StoreFailed',
    );
    assert.equal(
      codeOf(() => verifyChain(fixture.temporary.in('missing.db'))),
      'StoreFailed',
    );
    writeFileSync(fixture.temporary.in('text.db'), 'no database'.repeat(100));
    assert.equal(
      codeOf(() => verifyChain(fixture.temporary.in('text.db'))),
      'StoreCorrupt',
    );
  });

  it('names no more than a hundred problems', async () => {
    await fixture.attempts(60, 6);
    fixture.tamper('UPDATE events SET mac = zeroblob(32)');
    assert.lengthOf(fixture.verify().problems, 100);
  });
});
