// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert } from 'chai';
import { Desktop } from '../support/desktop.ts';
import { FIXTURE, fix } from '../support/fixture-app.ts';

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
      const [app, agent, person] = [await desktop.fixture(), await desktop.agent(), await desktop.person()];
      await agent.list();
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

  it('[R94] ends as void where the caller is gone', async () => {
    await withDesktop(async (desktop) => {
      const [, agent, person] = [await desktop.fixture(), await desktop.agent(), await desktop.person()];
      await agent.list();
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
      const [app, agent, person] = [await desktop.fixture(), await desktop.agent(), await desktop.person()];
      await agent.list();
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
