// SPDX-License-Identifier: Apache-2.0
import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { assert } from 'chai';
import type { AuditEvent } from '../../../broker/audit/event.ts';
import { AUDIT_LIMITS, Records } from '../../../broker/audit/records.ts';
import { codeOf } from '../store/temporary.ts';
import { event, RecordFixture, rejection } from './fixture.ts';

describe('broker/audit/records', () => {
  let fixture: RecordFixture;

  beforeEach(() => {
    fixture = new RecordFixture();
  });
  afterEach(() => fixture.remove());

  it('[R73] resolves with the audit id, which finds the event', async () => {
    assert.equal(await fixture.records.append(event('requested', 'inv-1'), 'full'), '1');
    assert.equal(await fixture.records.append(event('executed', 'inv-1'), 'normal'), '2');
    assert.deepEqual(fixture.records.query({ after: '1' }), [
      { auditId: '2', event: event('executed', 'inv-1') },
    ]);
  });

  it('[R72] [R118] records a rejection like any other event', async () => {
    await fixture.records.append(
      event('denied', 'inv-1', { stage: 'validate', code: 'InvalidParams' }),
      'normal',
    );
    assert.isTrue(fixture.verify().ok);
    assert.equal(fixture.records.query({ type: 'denied' })[0]?.event?.stage, 'validate');
  });

  it('[R131] is the chain the README describes', async () => {
    await fixture.attempts(2);
    const hmac = (key: Uint8Array, ...parts: (string | Uint8Array)[]): Buffer =>
      parts.reduce((mac, part) => mac.update(part), createHmac('sha256', key)).digest();
    const key = hmac(readFileSync(fixture.store.keyPath), 'portal audit chain 1');
    let mac: Uint8Array = Buffer.alloc(32);
    for (const row of fixture.store.database
      .prepare('SELECT seq, body, mac FROM events ORDER BY seq')
      .all()) {
      const seq = Buffer.alloc(8);
      seq.writeUInt32BE(Number(row.seq), 4);
      mac = hmac(key, mac, seq, String(row.body));
      assert.deepEqual(Buffer.from(row.mac as Uint8Array), mac);
    }
    assert.deepEqual(fixture.records.checkpoint(), { head: Buffer.from(mac).toString('hex'), count: 4 });
  });

  it('commits what one turn of the event loop brings as one transaction', async () => {
    const version = (): unknown => reader.prepare('PRAGMA data_version').get()?.data_version;
    const reader = new DatabaseSync(fixture.store.databasePath, { readOnly: true });
    const before = version();
    const promises = Array.from({ length: 10 }, (_, index) =>
      fixture.records.append(event('requested', `inv-${index}`), index === 7 ? 'full' : 'normal'),
    );
    assert.equal(fixture.store.database.prepare('SELECT count(*) AS count FROM events').get()?.count, 0);
    assert.deepEqual(await Promise.all(promises), ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10']);
    assert.equal(version(), Number(before) + 1);
    assert.equal(fixture.store.database.prepare('PRAGMA synchronous').get()?.synchronous, 2);
    reader.close();
    await fixture.records.append(event('executed', 'inv-1'), 'normal');
    assert.equal(fixture.store.database.prepare('PRAGMA synchronous').get()?.synchronous, 1);
  });

  it('the caller’s later changes to an event are not recorded', async () => {
    const mine: { -readonly [K in keyof AuditEvent]: AuditEvent[K] } = event('requested', 'inv-1', {
      stage: 'dispatch',
    });
    const done = fixture.records.append(mine, 'normal');
    mine.stage = 'outcome';
    await done;
    assert.equal(fixture.records.query()[0]?.event?.stage, 'dispatch');
  });

  it('an event that cannot be recorded rejects alone', async () => {
    const good = fixture.records.append(event('requested', 'inv-1'), 'normal');
    assert.equal(await rejection(fixture.records.append(event('executed'), 'normal')), 'EventInvalid');
    assert.equal(await good, '1');
  });

  it('a store that became read-only rejects the whole batch and is taken up again', async () => {
    await fixture.attempts(1);
    const before = fixture.records.checkpoint();
    fixture.store.database.exec('PRAGMA query_only = ON');
    const codes = await Promise.all(
      [1, 2, 3].map((index) =>
        rejection(fixture.records.append(event('requested', `lost-${index}`), 'full')),
      ),
    );
    assert.deepEqual(codes, ['StoreReadOnly', 'StoreReadOnly', 'StoreReadOnly']);
    assert.deepEqual(fixture.records.checkpoint(), before);
    fixture.store.database.exec('PRAGMA query_only = OFF');
    assert.equal(await fixture.records.append(event('requested', 'inv-2'), 'full'), '3');
    assert.deepEqual([fixture.verify().ok, fixture.verify().unfinished], [true, ['inv-2']]);
    assert.equal(fixture.records.recover(), 1);
  });

  it('a failure in the middle of a batch leaves nothing of it', async () => {
    await fixture.attempts(1);
    fixture.store.database.exec(
      "CREATE TEMP TRIGGER fail BEFORE INSERT ON events WHEN new.seq = 5 BEGIN SELECT raise(ABORT, 'no'); END",
    );
    const batch = ['a', 'b', 'c', 'd'].map((name) =>
      rejection(fixture.records.append(event('requested', name), 'full')),
    );
    assert.deepEqual(await Promise.all(batch), Array(4).fill('StoreFailed'));
    assert.equal(fixture.verify().events, 2);
    fixture.store.database.exec('DROP TRIGGER fail');
    await fixture.attempts(2, 2);
    assert.deepEqual(
      [fixture.verify().ok, fixture.verify().events, fixture.verify().unfinished],
      [true, 6, []],
    );
  });

  it('what is done within an append is there if and only if the event is', async () => {
    const kept = (): unknown =>
      fixture.store.database.prepare('SELECT count(*) AS count FROM suspensions').get()?.count;
    const suspend = (principal: string) => () => {
      fixture.store.database.prepare('INSERT INTO suspensions VALUES (?, NULL)').run(principal);
    };
    const spent = new Error('all operations are used up');
    const batch = [
      fixture.records.append(event('requested', 'a'), 'normal', suspend('one')),
      fixture.records.append(event('requested', 'b'), 'full', () => {
        suspend('two')();
        throw spent;
      }),
      fixture.records.append(event('requested', 'c'), 'normal', suspend('one')),
      fixture.records.append(event('requested', 'd'), 'normal'),
      fixture.records.append(event('policy'), 'normal', suspend('three')),
    ];
    const results = await Promise.allSettled(batch);
    assert.deepEqual(
      results.map((result) =>
        result.status === 'fulfilled' ? result.value : (result.reason.code ?? result.reason),
      ),
      ['1', spent, 'StoreFailed', '2', '3'],
    );
    assert.equal(kept(), 2);
    const { ok, events, unfinished } = fixture.verify();
    assert.deepEqual([ok, events, unfinished], [true, 3, ['a', 'd']]);
    assert.equal(fixture.records.recover(), 2, 'what was refused is not under way');
  });

  it('what is done within an append is gone when the batch cannot be committed', async () => {
    const { database } = fixture.store;
    const batch = [
      fixture.records.append(event('policy'), 'full', () =>
        database.exec("INSERT INTO suspensions VALUES ('one', NULL)"),
      ),
      // As a full disk does, and as opening a transaction inside this one does in the end.
      fixture.records.append(event('policy'), 'full', () => database.exec('ROLLBACK')),
      fixture.records.append(event('policy'), 'full'),
    ];
    assert.deepEqual(await Promise.all(batch.map(rejection)), Array(3).fill('StoreFailed'));
    assert.isUndefined(database.prepare('SELECT 1 FROM suspensions').get());
    assert.deepEqual([fixture.verify().ok, fixture.verify().events], [true, 0]);
    assert.equal(await fixture.records.append(event('policy'), 'full'), '1');
  });

  it('[R137] ends what a crash left open as unknown, once', async () => {
    await fixture.attempts(2);
    await fixture.records.append(event('requested', 'lost-1'), 'full');
    await fixture.records.append(event('asked', 'asked-1'), 'full');
    await fixture.records.append(event('denied', 'denied-1'), 'full');
    await fixture.records.append(event('requested', 'lost-2'), 'full');
    fixture.reopen();
    fixture.clock = 5000;
    assert.equal(fixture.records.recover(), 2);
    assert.equal(fixture.records.recover(), 0);
    const lost = fixture.records.query({ type: 'unknown' }).map((row) => row.event);
    assert.deepEqual(lost, [
      { type: 'unknown', time: 5000, invocation: 'lost-1', stage: 'outcome' },
      { type: 'unknown', time: 5000, invocation: 'lost-2', stage: 'outcome' },
    ]);
    fixture.reopen();
    assert.equal(fixture.records.recover(), 0);
    assert.deepEqual([fixture.verify().ok, fixture.verify().unfinished], [true, []]);
  });

  it('[R137] finds an old open intent behind many that ended, without reading those that came before it', async () => {
    const limits = { ...AUDIT_LIMITS, settleEvery: 10 };
    fixture.reopen(limits);
    await fixture.attempts(30);
    await fixture.records.append(event('requested', 'lost'), 'full');
    await fixture.attempts(30, 31);
    const settled = (): unknown => fixture.store.database.prepare('SELECT seq FROM settled').get()?.seq;
    assert.equal(settled(), 60);
    fixture.reopen(limits);
    assert.equal(fixture.records.recover(), 1);
    fixture.records.close();
    assert.equal(settled(), 122);
    assert.isTrue(fixture.verify().ok);
  });

  it('writes what is waiting when it is closed, and nothing afterwards', async () => {
    const waiting = fixture.records.append(event('requested', 'inv-1'), 'full');
    fixture.records.close();
    fixture.store.close();
    assert.equal(await waiting, '1');
    assert.equal(await rejection(fixture.records.append(event('requested', 'inv-2'), 'full')), 'StoreFailed');
    fixture.records.close();
  });

  it('can be closed when the store cannot be written', async () => {
    const waiting = rejection(fixture.records.append(event('requested', 'inv-1'), 'full'));
    fixture.store.database.exec('PRAGMA query_only = ON');
    fixture.records.close();
    assert.equal(await waiting, 'StoreReadOnly');
  });

  it('[R131] does not continue a chain whose end was changed, cut or made with another key', async () => {
    const changes = [
      "UPDATE events SET body = replace(body, 'executed', 'failed') WHERE seq = 4",
      'UPDATE events SET mac = zeroblob(32) WHERE seq = 4',
      "UPDATE events SET body = body || char(0) || 'x' WHERE seq = 4",
      'DELETE FROM events WHERE seq = 3',
      'UPDATE events SET seq = 9 WHERE seq = 4',
    ];
    for (const sql of changes) {
      await fixture.attempts(2);
      fixture.tamper(sql);
      assert.equal(
        codeOf(() => fixture.reopen()),
        'StoreCorrupt',
        sql,
      );
      fixture.remove();
      fixture = new RecordFixture();
    }
  });

  it('refuses UPDATE, DELETE, REPLACE and an insertion anywhere but at the end', async () => {
    await fixture.attempts(2);
    const { database } = fixture.store;
    for (const sql of [
      "UPDATE events SET body = '{}' WHERE seq = 2",
      'DELETE FROM events WHERE seq = 4',
      'DELETE FROM events',
      "INSERT OR REPLACE INTO events VALUES (2, '{}', x'00')",
      "REPLACE INTO events VALUES (4, '{}', x'00')",
      "INSERT INTO events VALUES (9, '{}', x'00')",
      "INSERT INTO events VALUES (0, '{}', x'00')",
    ]) {
      assert.throws(() => database.exec(sql), /events are (only|never)/, sql);
    }
    // The guard against replacing holds without our pragma too, for a person with another tool.
    database.exec('PRAGMA recursive_triggers = OFF');
    assert.throws(
      () => database.exec("REPLACE INTO events VALUES (4, '{}', x'00')"),
      'events are only appended',
    );
    database.exec('DROP TRIGGER events_append_only; PRAGMA recursive_triggers = ON');
    assert.throws(
      () => database.exec("REPLACE INTO events VALUES (4, '{}', x'00')"),
      'events are only removed by retention',
    );
  });

  it('[R117] a secret put into every field in turn is nowhere in the files', async () => {
    const marker = 'hunter2-9f3c';
    const fields = [
      ...[
        'principal',
        'binding',
        'appId',
        'capability',
        'version',
        'stage',
        'code',
        'rule',
        'decider',
        'commitment',
        'effect',
        'grant',
        'replaced',
        'considered',
      ],
      ...['profile', 'assurance', 'origin', 'pid', 'count', 'params', 'result', 'invocation', 'type', marker],
    ];
    for (const field of fields) {
      const hostile = { ...event('denied', 'inv-1'), [field]: marker } as AuditEvent;
      const code = await rejection(fixture.records.append(hostile, 'normal'));
      assert.equal(code, field === 'invocation' || field === 'type' ? 'EventInvalid' : 'resolved', field);
    }
    const hostile = event('denied', 'inv-1', {
      classification: { sideEffects: marker, access: marker, network: marker, risk: marker, gate: marker },
    });
    await fixture.records.append(hostile, 'full');
    fixture.records.close();
    const files = (): [string, Buffer][] =>
      readdirSync(fixture.temporary.path).map((name) => [name, readFileSync(fixture.temporary.in(name))]);
    const [wal] = files().filter(([name]) => name === 'broker.db-wal');
    assert.include(wal?.[1].toString('latin1'), 'invalid(12)');
    for (const [name, bytes] of files()) assert.isFalse(bytes.includes(marker), name);
    fixture.store.close();
    for (const [name, bytes] of files()) assert.isFalse(bytes.includes(marker), name);
    assert.include(readFileSync(fixture.store.databasePath, 'latin1'), 'invalid(12)');
  });

  it('keeps no event in memory', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage: () => void = runInNewContext('gc');
    const heapAfter = async (batches: number): Promise<number> => {
      for (let batch = 0; batch < batches; batch += 1) {
        const ids = Array.from({ length: 50 }, (_, index) => `inv-${batch * 50 + index}`);
        await Promise.all(ids.map((id) => fixture.records.append(event('requested', id), 'normal')));
        await Promise.all(ids.map((id) => fixture.records.append(event('executed', id), 'normal')));
      }
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const warm = await heapAfter(20);
    const grown = (await heapAfter(200)) - warm;
    assert.isBelow(grown, 1024 * 1024, `${grown} bytes more for 20 000 events`);
  });

  it('needs the key its store was made with', () => {
    const wrong = { ...fixture.store, deriveKey: () => fixture.store.deriveKey('commitment') };
    const other = new Records({ store: wrong, now: () => 1 });
    assert.equal(other.checkpoint().count, 0);
    return fixture.attempts(1).then(() => {
      assert.equal(
        codeOf(() => new Records({ store: wrong, now: () => 1 })),
        'StoreCorrupt',
      );
    });
  });
});
