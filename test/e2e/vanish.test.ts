// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { KEY, useDesktop } from '../support/desktop.ts';
import { fix, fixtureManifest, signed } from '../support/fixture-app.ts';
import type { AgentPeer, AppPeer, PersonPeer } from '../support/peers.ts';

const write = fix('write');

describe('whoever leaves the bus meanwhile', () => {
  const desktop = useDesktop();
  let app: AppPeer;
  let agent: AgentPeer;
  let person: PersonPeer;

  before(async () => {
    [app, agent, person] = await Promise.all([desktop().fixture(), desktop().agent(), desktop().person()]);
    await person.confirm([{}]);
    await agent.list();
  });

  /** The one event that ended an attempt. */
  async function ending(invocation: string): Promise<{ type: string; code: string | undefined }> {
    for (;;) {
      const ends = desktop()
        .audit({ invocation })
        .filter(({ type }) => ['executed', 'failed', 'unknown', 'denied', 'expired'].includes(type));
      assert.isAtMost(ends.length, 1);
      const [end] = ends;
      if (end !== undefined) return { type: end.type, code: end.code };
      await desktop().ping();
    }
  }

  it('[R90] a caller before the person answered: withdrawn, the surface told, nothing runs', async () => {
    const caller = await desktop().agent();
    await caller.list();
    caller.dispatch(write, { text: 'orphan' }).catch(() => undefined);
    const { invocation } = await person.nextAsked(write);
    caller.process.kill();
    assert.equal(await person.process.tellings.next('withdrawn'), invocation);
    await person.decide(invocation, 'once');
    assert.deepEqual(await ending(invocation), { type: 'denied', code: 'Withdrawn' });
    assert.equal(app.timesInvoked(write), 0);
  });

  it('[R137] a caller while it runs: the app is told to stop, and the end is on record', async () => {
    await app.behave(write, { hang: true });
    const caller = await desktop().agent();
    await caller.list();
    caller.dispatch(write, { text: 'orphan' }).catch(() => undefined);
    await person.decide((await person.nextAsked(write)).invocation, 'once');
    const { context } = await app.nextInvoked(write);
    caller.process.kill();
    assert.equal(await app.process.tellings.next('cancelled'), context.invocation);
    assert.deepEqual(await ending(String(context.invocation)), { type: 'unknown', code: 'Cancelled' });
    await app.behave(write, {});
  });

  for (const [how, leave] of [
    ['is killed', (one: AppPeer) => one.process.kill()],
    ['exits', undefined],
  ] as const) {
    it(`[R70] [R137] an app that ${how} while it runs: unknown for a write, failed for a read, at once`, async () => {
      for (const [action, status] of [
        ['write', 'unknown'],
        ['look', 'failed'],
      ] as const) {
        await app.behave(fix(action), leave === undefined ? { delayMs: 100, exit: true } : { hang: true });
        const outcome = agent.dispatch(fix(action));
        if (action === 'write') await person.decide((await person.nextAsked(write)).invocation, 'once');
        await app.nextInvoked(fix(action));
        leave?.(app);
        const { invocation, ...rest } = await outcome;
        assert.deepInclude(rest, { status, stage: 'dispatch', code: 'ProviderGone' });
        assert.deepEqual(await ending(invocation), { type: status, code: 'ProviderGone' });
        await app.process.ended;
        assert.deepEqual((await agent.list()).apps, []);
        app = await desktop().fixture();
        await agent.list();
      }
    });
  }

  it('[R94] an app that leaves before the person answered: the yes runs nothing', async () => {
    const outcome = agent.dispatch(write);
    const { invocation } = await person.nextAsked(write);
    await app.process.stop();
    while ((await agent.list()).apps.length > 0) await desktop().ping();
    await person.decide(invocation, 'once');
    assert.deepInclude(await outcome, { status: 'denied', stage: 'resolve', code: 'NotFound' });
    app = await desktop().fixture();
    await agent.list();
  });

  it('[R94] an app that came back as another process: a yes for the one before is void', async () => {
    const outcome = agent.dispatch(write);
    const { invocation } = await person.nextAsked(write);
    await app.process.stop();
    while ((await agent.list()).apps.length > 0) await desktop().ping();
    app = await desktop().fixture();
    await person.decide(invocation, 'once');
    assert.deepInclude(await outcome, { status: 'denied', stage: 'confirm', code: 'ApprovalMismatch' });
    assert.equal(app.timesInvoked(write), 0);
  });

  it('[R5] an app whose process is stopped costs its own time alone', async () => {
    desktop().trust('org.example.Second');
    const second = await desktop().fixture({}, 'org.example.Second');
    await agent.list();
    app.process.pause();
    try {
      const stuck = agent.dispatch(fix('briefly'));
      assert.equal((await agent.dispatch(fix('look', 'org.example.Second'))).status, 'done');
      assert.deepInclude(await stuck, { status: 'failed', code: 'Timeout' });
    } finally {
      app.process.resume();
    }
    await second.process.stop();
  });

  it('[R1] an app that asks to be forgotten is, and may come again', async () => {
    await app.process.ask('leave');
    assert.deepInclude(await agent.dispatch(fix('look')), { stage: 'resolve', code: 'NotFound' });
    await app.process.stop();
    app = await desktop().app();
    assert.equal((await app.serve(signed(fixtureManifest(), KEY))).tier, 1);
    assert.equal((await agent.dispatch(fix('look'))).status, 'done');
  });
});
