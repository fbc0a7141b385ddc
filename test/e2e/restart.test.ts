// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert } from 'chai';
import { REQUEST } from '../../broker/bus/names.ts';
import { dispatchCall, options, readOutcome, readReply } from '../support/broker-calls.ts';
import { Desktop } from '../support/desktop.ts';
import { FIXTURE, fix } from '../support/fixture-app.ts';
import { codeOf } from '../support/refusals.ts';

const mark = fix('mark');
const MARKER = 'hunter2-9f3c';

async function withDesktop(run: (desktop: Desktop) => Promise<void>): Promise<void> {
  const desktop = await Desktop.start();
  try {
    await run(desktop);
  } finally {
    await desktop.stop();
  }
}

describe('what waits, over a kill of the broker', () => {
  it('[R88] [R94] goes on waiting for the caller that is still there, and runs once when it is approved', async () => {
    await withDesktop(async (desktop) => {
      const [app, agent, person] = await desktop.trio();
      await person.pending();
      const outcome = agent
        .dispatch(mark, { path: '/tmp/kept', text: MARKER })
        .catch((error: unknown) => error);
      const row = await person.nextPending();
      const inStore = readFileSync(join(desktop.store, 'broker.db')).includes(MARKER);
      assert.isFalse(inStore, 'parameters are in a file of their own');
      await desktop.broker.end('SIGKILL');
      await desktop.restart();
      const again = await desktop.person();
      // The app registers again by itself; until then nothing can be approved.
      let kept = await again.nextPending(mark);
      while (!kept.choices.includes('once')) kept = await again.nextPending(mark);
      assert.deepEqual([kept.id, kept.digest], [row.id, row.digest]);
      await again.operate('approvals.approve', kept.id, kept.digest);
      await app.nextInvoked(mark);
      assert.isDefined(await outcome);
      for (;;) {
        const types = desktop.audit({ invocation: row.id }).map(({ type }) => type);
        if (types.at(-1) !== 'executed') continue;
        assert.deepEqual(
          types.filter((type) => type === 'requested'),
          ['requested'],
        );
        break;
      }
      assert.equal(app.timesInvoked(mark), 1);
      assert.isFalse(readFileSync(join(desktop.store, 'pending.db')).includes(MARKER), 'scrubbed');
      assert.isTrue(desktop.verify().ok);
    });
  });

  it('[R88] [R123] ends at the Request where its caller looks for it, approved, denied or void', async () => {
    await withDesktop(async (desktop) => {
      const [app, caller, person] = [await desktop.fixture(), await desktop.raw(), await desktop.person()];
      await person.pending();
      await caller.hear({ interface: REQUEST });
      const dispatch = async (path: string, token: string) =>
        readReply(
          await caller.call(dispatchCall(mark, { path }, options({ handle_token: token, wait_ms: 0 }))),
        ).request;
      const requests: string[] = [];
      for (const path of ['/tmp/once', '/tmp/yes', '/tmp/no']) {
        requests.push(await dispatch(path, `t${requests.length}`));
        while ((await person.pending()).length < requests.length) await desktop.ping();
      }
      const completed = async (path: string | undefined) =>
        await caller.process.tellings.next<{ path: string; member: string; body: readonly unknown[] }>(
          'heard',
          (one) => one.path === path && one.member === 'Completed',
        );

      await desktop.broker.end('SIGKILL');
      await desktop.restart();
      let [once] = await person.pending();
      while (!once?.choices.includes('once')) [once] = await person.pending();
      await person.operate('approvals.approve', once.id, once.digest);
      const [status, executed] = (await completed(requests[0])).body;
      assert.equal(status, 'executed');
      assert.deepInclude(readOutcome(executed), { invocation: once.id, status: 'executed' });
      assert.equal(app.timesInvoked(mark), 1);

      app.process.kill();
      await desktop.broker.end('SIGKILL');
      await desktop.restart();
      // What they would call is not there: nobody can approve them, and anybody can deny them.
      const [yes, no] = await person.pending();
      assert.deepEqual([yes?.targets, yes?.choices], [['/tmp/yes'], ['later', 'deny']]);
      assert.equal(await codeOf(person.operate('approvals.approve', yes?.id, yes?.digest)), 'NotAllowed');
      await person.operate('approvals.deny', no?.id, { note: 'not now' });
      const [, denied] = (await completed(requests[2])).body;
      assert.deepInclude(readOutcome(denied), { code: 'PersonDenied', note: 'not now' });

      // Another process of the app is another provider, and what was asked was about the one before.
      const next = await desktop.fixture();
      const [, void_] = (await completed(requests[1])).body;
      assert.deepInclude(readOutcome(void_), { status: 'denied', code: 'Void' });
      assert.equal(next.timesInvoked(mark) + app.timesInvoked(mark), 1);
    });
  });

  it('[R85] [R107] an answer for the session does not outlast the broker, and a grant does', async () => {
    await withDesktop(async (desktop) => {
      const [app, agent, person] = await desktop.trio();
      await person.pending();
      const first = agent.dispatch(mark, { path: '/tmp/session' });
      const row = await person.nextPending();
      await person.operate('approvals.approve', row.id, row.digest, { choice: 'session' });
      assert.equal((await first).status, 'executed');
      const grant = { principal: 'desk', capability: mark, access: 'write', target: '/tmp/granted' };
      await person.operate('grants.add', { ...grant, minutes: 5, operations: 3, reason: 'a test' });
      assert.equal((await agent.dispatch(mark, { path: '/tmp/granted' })).status, 'executed');
      assert.equal((await agent.dispatch(mark, { path: '/tmp/session' })).status, 'executed');

      await app.process.tellings.next('standing');
      await desktop.broker.end('SIGKILL');
      await desktop.restart();
      await app.process.tellings.next<{ tier?: number }>('standing', ({ tier }) => tier === 1);
      assert.equal((await agent.dispatch(mark, { path: '/tmp/session' })).code, 'NoConfirmer');
      assert.equal((await agent.dispatch(mark, { path: '/tmp/granted' })).status, 'executed');
      const [left] = await person.operate<readonly { operations_left?: number }[]>('grants.list');
      assert.equal(left?.operations_left, 1);
    });
  });

  it('[R82] [R89] is expired where its time passed meanwhile', async () => {
    const confirm = { deadline_ms: 300, arming_ms: 0, reoffer_ms: 50 };
    const desktop = await Desktop.start({ config: { confirm } });
    try {
      const [app, agent, person] = await desktop.trio();
      await person.pending();
      agent.dispatch(mark, { path: '/tmp/late' }).catch(() => undefined);
      const row = await person.nextPending();
      await desktop.broker.end('SIGKILL');
      while (Date.now() < row.expires_at) await new Promise(setImmediate);
      await desktop.restart();
      const [last] = desktop.audit({ invocation: row.id }).slice(-1);
      assert.deepInclude(last as object, { type: 'expired', code: 'Expired' });
      assert.equal(app.timesInvoked(mark), 0);
    } finally {
      await desktop.stop();
    }
  });

  it('[R94] ends as void where the caller is gone', async () => {
    await withDesktop(async (desktop) => {
      const [, agent, person] = await desktop.trio();
      await person.pending();
      agent.dispatch(mark, { path: '/tmp/gone' }).catch(() => undefined);
      const row = await person.nextPending();
      await desktop.broker.end('SIGKILL');
      agent.process.kill();
      await desktop.restart();
      const again = await desktop.person();
      assert.deepEqual(await again.pending(), []);
      const [last] = desktop.audit({ invocation: row.id }).slice(-1);
      assert.deepInclude(last as object, { type: 'denied', code: 'Void' });
    });
  });

  it('[R137] [R94] what was approved and running is unknown, and never runs again', async () => {
    await withDesktop(async (desktop) => {
      const [app, agent, person] = await desktop.trio();
      await person.pending();
      await app.behave(mark, { hang: true });
      agent.dispatch(mark, { path: '/tmp/running' }).catch(() => undefined);
      const row = await person.nextPending();
      await person.operate('approvals.approve', row.id, row.digest);
      await app.nextInvoked(mark);
      await desktop.broker.end('SIGKILL');
      await desktop.restart();
      const again = await desktop.person();
      for (let tier1 = false; !tier1; ) {
        tier1 = (await again.apps()).some((one) => one.app_id === FIXTURE && one.tier === 1);
      }
      assert.deepEqual(await again.pending(), []);
      const [last] = desktop.audit({ invocation: row.id }).slice(-1);
      assert.equal(last?.type, 'unknown');
      assert.equal(app.timesInvoked(mark), 1);
    });
  });
});
