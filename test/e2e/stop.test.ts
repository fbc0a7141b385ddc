// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { Desktop, useDesktop } from '../support/desktop.ts';
import { FIXTURE, fix } from '../support/fixture-app.ts';
import type { AgentPeer, AppPeer, PersonPeer } from '../support/peers.ts';
import { codeOf } from '../support/refusals.ts';

const mark = fix('mark');
const look = fix('look');

describe('stopping an intelligence, over the bus', () => {
  const desktop = useDesktop();
  let app: AppPeer;
  let agent: AgentPeer;
  let person: PersonPeer;
  let self: string;

  before(async () => {
    [app, agent, person] = await desktop().trio();
    self = (await agent.selfModel()).principal;
    await person.pending();
  });

  const suspend = (who: string, minutes?: number) => person.operate('stopping.suspend', who, minutes);
  const resume = (who: string) => person.operate('stopping.resume', who);

  it('[R151] withdraws what waits, cancels what runs, refuses what is new, and ends when it is resumed', async () => {
    const waits = agent.dispatch(mark, { path: '/tmp/stop' });
    await person.nextPending();
    await app.behave(look, { hang: true });
    const runs = agent.dispatch(look);
    await app.nextInvoked(look);
    await suspend(self);
    assert.deepInclude(await waits, { status: 'denied', stage: 'confirm' });
    assert.include(['failed', 'unknown'], (await runs).status);
    await app.behave(look, {});
    assert.deepInclude(await agent.dispatch(look), { status: 'denied', stage: 'policy', code: 'Suspended' });
    assert.equal(await codeOf(agent.requestCapability({ capability: mark })), 'NotAllowed');
    const model = await agent.selfModel();
    assert.isEmpty([...model.may, ...model.asks, ...model.confirms]);
    await resume(self);
    assert.equal((await agent.dispatch(look)).status, 'executed');
    const codes = desktop()
      .audit({ type: 'policy' })
      .map(({ code }) => code);
    assert.includeMembers(codes, ['Suspended', 'Resumed']);
  });

  it('[R151] everybody, but not the person who takes something back', async () => {
    const outcome = agent.dispatch(fix('delete'), { text: 'undo me' });
    await app.behave(fix('delete'), { result: { success: true, undoToken: 'u' } });
    const row = await person.nextPending();
    await person.operate('approvals.approve', row.id, row.digest);
    const { invocation, undo } = await outcome;
    assert.isDefined(undo);
    await suspend('*');
    assert.equal((await agent.dispatch(look)).code, 'Suspended');
    const taken = await person.process.ask<{ status: string }>('takeBack', { invocation });
    assert.equal(taken.status, 'executed');
    await resume('*');
  });

  it('a name with a slip in it is no success', async () => {
    assert.equal(await codeOf(suspend('nobody-like-that')), 'NotFound');
    assert.equal(await codeOf(resume('nobody-like-that')), 'NotFound');
  });

  it('[R135] only the compositor says whether the session is locked', async () => {
    assert.equal(await codeOf(person.operate('stopping.setSession', { locked: true })), 'AccessDenied');
  });
});

describe('a stop and a lock, over a restart', () => {
  it('[R151] [R135] hold, until they are ended', async () => {
    const uid = process.getuid?.() ?? 0;
    const desktop = await Desktop.start({
      config: {
        principals: [
          {
            id: 'shell',
            roles: ['intelligence', 'compositor', 'provider', 'operator'],
            level: 'user',
            match: { uid },
            min_binding: 'pid',
          },
        ],
      },
    });
    try {
      const [, agent, person] = await desktop.trio();
      await agent.dispatch(look);
      await person.operate('stopping.setSession', { locked: true });
      assert.equal((await agent.dispatch(look)).status, 'executed', 'a read of this machine runs');
      assert.equal((await agent.dispatch(mark, { path: '/tmp/a' })).code, 'SessionLocked');
      await desktop.broker.end('SIGKILL');
      await desktop.restart();
      const later = await desktop.agent();
      for (let apps: readonly unknown[] = []; apps.length === 0; )
        apps = (await later.list({ appId: FIXTURE })).capabilities;
      assert.equal((await later.dispatch(mark, { path: '/tmp/a' })).code, 'SessionLocked');
      const shell = await desktop.person();
      await shell.operate('stopping.setSession', { locked: false });
      assert.equal((await later.dispatch(mark, { path: '/tmp/a' })).code, 'NoConfirmer');
      await shell.operate('stopping.suspend', '*');
      await desktop.broker.end('SIGKILL');
      await desktop.restart();
      const last = await desktop.agent();
      assert.equal((await last.dispatch('system.health')).code, 'Suspended');
    } finally {
      await desktop.stop();
    }
  });
});
