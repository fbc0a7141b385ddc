// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert } from 'chai';
import type { PendingFile } from '../../../broker/approval/pending-file.ts';
import type { WaitingCaller } from '../../../broker/approval/pending-store.ts';
import { restoreWaiting, type Waiting } from '../../../broker/approval/restore.ts';
import { ENDINGS } from '../../../broker/audit/event.ts';
import { handle } from '../../../broker/intent/handle.ts';
import type { Outcome } from '../../../broker/intent/outcome.ts';
import { attemptOf } from '../../../broker/intent/resume.ts';
import { code, ONCE, only, PERSON, settle, waiting, write } from '../intent/approving.ts';
import { id } from '../intent/fixture-app.ts';
import { AGENT, Desk, useDesk } from '../intent/world.ts';

const MARKER = 'hunter2-9f3c';

describe('what waits for a person, over a restart', () => {
  const its = useDesk();
  const started: PendingFile[] = [];
  let count = 0;
  let path: string;
  let before: Desk;
  beforeEach(() => {
    count += 1;
    path = join(its.directory, `restart-${count}.db`);
    before = begin();
  });
  afterEach(() => {
    for (const file of started.splice(0)) file.close();
    its.store.database.exec('DELETE FROM approvals');
  });

  /** A broker on the same store, whose app is there. */
  function begin(): Desk {
    const desk = new Desk(its.records, its.store, path);
    started.push(desk.pendingFile);
    desk.confirmers.remove(':1.90');
    desk.approvals.watch(':1.80');
    return desk;
  }
  const restore = (desk: Desk, isThere: (caller: WaitingCaller) => boolean = () => true) =>
    restoreWaiting({
      store: desk.pendingStore,
      records: its.records,
      now: desk.clock.now,
      isThere: async (caller) => isThere(caller),
    });
  const goOn = (desk: Desk, one: Waiting, signal = new AbortController().signal): Promise<Outcome> => {
    const caller = { connection: ':1.7', principal: AGENT, epoch: 0 };
    return handle(one.action, attemptOf(one, caller, signal, desk.world), desk.world, one);
  };
  const endingsOf = (invocation: string): readonly (string | undefined)[][] =>
    its.records
      .query({ invocation })
      .flatMap(({ event }) => (event && ENDINGS.includes(event.type) ? [[event.type, event.code]] : []));

  it('[R88] [R120] is given back with its parameters, which the store itself does not hold', async () => {
    void write(before, `/${MARKER}`, { reason: MARKER, intention: 'tidy', evidence: [MARKER] });
    const row = await only(before);
    assert.notInclude(JSON.stringify(its.store.database.prepare('SELECT * FROM approvals').all()), MARKER);
    const after = begin();
    const asked: WaitingCaller[] = [];
    const [one, ...others] = await restore(after, (caller) => asked.push(caller) > 0);
    assert.isEmpty(others);
    assert.deepInclude(asked[0], { connection: ':1.7', pid: 4242, startTime: '77', principal: 'agent' });
    assert.equal(one?.stored.requestPath, '/org/portal/Broker1/request/1_7/t1');
    assert.equal(one?.stored.id, row.id);
    assert.equal(one?.question.reason, MARKER);
  });

  it('[R88] is approved once its app is back, and runs once, with one ending', async () => {
    void write(before, '/tmp/a');
    const row = await only(before);
    const after = begin();
    after.leave();
    const [one] = await restore(after);
    const running = goOn(after, one ?? assert.fail());
    const dormant = await only(after);
    assert.deepEqual([dormant.id, dormant.state, dormant.choices], [row.id, 'pending', ['later', 'deny']]);
    assert.equal(await code(after.approvals.approve(row.id, row.digest, ONCE, PERSON)), 'NotAllowed');
    after.offer();
    after.approvals.recheck();
    const awake = await only(after);
    assert.deepEqual([awake.digest, awake.choices], [row.digest, row.choices]);
    await after.approvals.approve(row.id, row.digest, ONCE, PERSON);
    assert.equal((await running).status, 'executed');
    assert.lengthOf(after.bus.ran, 1);
    assert.deepEqual(endingsOf(row.id), [['executed', undefined]]);
    assert.isEmpty(its.store.database.prepare('SELECT * FROM approvals').all());
  });

  it('is put on the screen once its app is back', async () => {
    void write(before, '/tmp/a');
    await only(before);
    const after = begin();
    const [one] = await restore(after);
    after.confirm();
    assert.equal((await goOn(after, one ?? assert.fail())).status, 'executed');
    assert.lengthOf(after.bus.asked, 1);
  });

  it('waits patiently where nobody is there to ask', async () => {
    void write(before, '/tmp/a');
    await only(before);
    const after = begin();
    after.approvals.connectionGone(':1.80');
    const [one] = await restore(after);
    const running = goOn(after, one ?? assert.fail());
    await settle();
    assert.lengthOf(await waiting(after), 1);
    after.clock.ms += 120_000;
    after.approvals.sweep();
    assert.equal((await running).status, 'expired');
  });

  it('is denied or withdrawn while its app is away', async () => {
    for (const path of ['/tmp/a', '/tmp/b']) void write(before, path);
    const rows = await waiting(before);
    const after = begin();
    after.leave();
    const caller = new AbortController();
    const [first, second] = await restore(after);
    const running = [
      goOn(after, first ?? assert.fail()),
      goOn(after, second ?? assert.fail(), caller.signal),
    ];
    await settle();
    await after.approvals.deny(rows[0]?.id ?? '', { session: false }, PERSON);
    caller.abort();
    assert.deepEqual(
      (await Promise.all(running)).map((outcome) => outcome.code),
      ['PersonDenied', 'Withdrawn'],
    );
  });

  it('what was put off is still off the screen, and as long as the person said', async () => {
    void write(before, '/tmp/a');
    const row = await only(before);
    await before.approvals.later(row.id, PERSON);
    const put = await only(before);
    const after = begin();
    after.confirm();
    const [one] = await restore(after);
    void goOn(after, one ?? assert.fail());
    const kept = await only(after);
    assert.deepEqual([kept.state, kept.expires_at], ['later', put.expires_at]);
    assert.isEmpty(after.bus.asked);
  });

  const gone: readonly [what: string, change: (desk: Desk) => void][] = [
    ['with another definition', (desk) => desk.offer({ capabilities: [] })],
    ['as another process', (desk) => desk.offer({ connection: ':1.51' })],
    ['denied by policy', (desk) => desk.configure({ locked: [id('write')] })],
  ];
  for (const [what, change] of gone) {
    it(`[R83] the app is back ${what}: void`, async () => {
      void write(before, '/tmp/a');
      const row = await only(before);
      const after = begin();
      after.leave();
      const [one] = await restore(after);
      const running = goOn(after, one ?? assert.fail());
      await settle();
      change(after);
      after.approvals.recheck();
      after.approvals.sweep();
      await settle();
      const [still] = await waiting(after);
      // What is not there at all may still come.
      if (still !== undefined) await after.approvals.deny(still.id, { session: false }, PERSON);
      assert.equal((await running).code, still === undefined ? 'Void' : 'PersonDenied');
      assert.isEmpty(after.bus.ran);
      assert.lengthOf(endingsOf(row.id), 1);
    });
  }

  it('[R83] edited parameters are not what was asked about: void', async () => {
    void write(before, '/tmp/a');
    const row = await only(before);
    const text = before.pendingFile.read(row.id) ?? '';
    before.pendingFile.keep(row.id, text.replaceAll('/tmp/a', '/etc/b'));
    const after = begin();
    const [one] = await restore(after);
    assert.equal((await goOn(after, one ?? assert.fail())).code, 'Void');
    assert.isEmpty(after.bus.ran);
  });

  it('whose caller is gone is void, whose time is over has expired; both once', async () => {
    void write(before, '/tmp/a');
    const first = await only(before);
    assert.isEmpty(await restore(begin(), () => false));
    assert.deepEqual(endingsOf(first.id), [['denied', 'Void']]);
    const later = begin();
    void write(later, `/${MARKER}`);
    const second = await only(later);
    const after = begin();
    after.clock.ms += 120_000;
    assert.isEmpty(await restore(after));
    assert.deepEqual(endingsOf(second.id), [['expired', 'Expired']]);
    assert.isEmpty(await restore(begin()));
    assert.deepEqual([endingsOf(first.id).length, endingsOf(second.id).length], [1, 1]);
    assert.notInclude(readFileSync(path, 'latin1'), MARKER);
  });

  it('B22 an approval that had not become an intent is void; one that had is left to the record', async () => {
    const { records } = its;
    const never = new Promise<never>(() => undefined);
    const dies = (type: string) => {
      before.world.records = {
        append: (event, durability, within) =>
          event.type === type ? never : records.append(event, durability, within),
      };
    };
    dies('requested');
    void write(before, '/tmp/a');
    const first = await only(before);
    await before.approvals.approve(first.id, first.digest, ONCE, PERSON);
    await settle();
    dies('executed');
    void write(before, '/tmp/b');
    const [second] = await waiting(before);
    await before.approvals.approve(second?.id ?? '', second?.digest ?? '', ONCE, PERSON);
    await settle();
    assert.lengthOf(before.bus.ran, 1);
    const after = begin();
    assert.isEmpty(await restore(after));
    assert.deepEqual(endingsOf(first.id), [['denied', 'Void']]);
    assert.isEmpty(endingsOf(second?.id ?? ''), 'the record ends it as unknown by itself');
    assert.isEmpty(its.store.database.prepare('SELECT * FROM approvals').all());
    assert.equal(await code(after.approvals.approve(first.id, first.digest, ONCE, PERSON)), 'NotFound');
    assert.isEmpty(after.bus.ran);
  });

  it('a no that was on record and not yet an ending is ended as a no', async () => {
    const { records } = its;
    before.world.records = {
      append: (event, durability, within) =>
        event.type === 'denied' ? new Promise(() => undefined) : records.append(event, durability, within),
    };
    void write(before, '/tmp/a');
    const row = await only(before);
    await before.approvals.deny(row.id, { session: false }, PERSON);
    await settle();
    assert.isEmpty(await restore(begin()));
    assert.deepEqual(endingsOf(row.id), [['denied', 'PersonDenied']]);
  });

  it('what somebody damaged is void', async () => {
    for (const [target, text] of [
      ['approvals', '{"digest":'],
      ['pending', 'no json'],
    ]) {
      void write(before, `/tmp/${target}`);
      const [row] = (await waiting(before)).slice(-1);
      const invocation = row?.id ?? '';
      if (target === 'pending') before.pendingFile.keep(invocation, text ?? '');
      else
        its.store.database.prepare('UPDATE approvals SET body = ? WHERE id = ?').run(text ?? '', invocation);
      assert.isEmpty(await restore(begin()));
      assert.deepEqual(endingsOf(invocation), [['denied', 'Void']]);
    }
  });

  it('an undo does not outlast the process that could undo', async () => {
    before.pendingStore.insert(
      {
        id: randomUUID(),
        question: { digest: 'd', capability: id('write'), version: '1.0' },
        state: 'pending',
        since: before.clock.ms,
        expiresAt: before.clock.ms + 1000,
      },
      { connection: ':1.7', pid: 1, startTime: '1', principal: 'agent' },
      '/x',
    );
    assert.isEmpty(await restore(begin()));
  });
});
