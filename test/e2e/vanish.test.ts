// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { BUS_NAME, REGISTRY, ROOT_PATH } from '../../broker/bus/names.ts';
import type { MethodCall } from '../../dbus/connection.ts';
import { dispatchCall, listCall, operatorCall, options, registerCall } from '../support/broker-calls.ts';
import { KEY, useDesktop } from '../support/desktop.ts';
import { fix, fixtureManifest, signed } from '../support/fixture-app.ts';
import type { AgentPeer, AppPeer, PersonPeer } from '../support/peers.ts';

const write = fix('write');
const UNREGISTER: MethodCall = {
  destination: BUS_NAME,
  path: ROOT_PATH,
  interface: REGISTRY,
  member: 'Unregister',
};

function hasOwnerCall(name: string): MethodCall {
  const bus = 'org.freedesktop.DBus';
  return {
    destination: bus,
    path: '/org/freedesktop/DBus',
    interface: bus,
    member: 'NameHasOwner',
    signature: 's',
    body: [name],
  };
}

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

  it('[R83] [R94] an app that leaves before the person answered: void at once, and the question is taken away', async () => {
    const outcome = agent.dispatch(write);
    const { invocation } = await person.nextAsked(write);
    await app.process.stop();
    assert.deepInclude(await outcome, { status: 'denied', stage: 'confirm', code: 'Void' });
    assert.equal(await person.process.tellings.next('withdrawn'), invocation);
    app = await desktop().fixture();
    await agent.list();
    assert.equal(app.timesInvoked(write), 0);
  });

  it('[R5] an app whose process is stopped costs its own time alone', async () => {
    desktop().trust('org.example.Second');
    const second = await desktop().fixture({}, 'org.example.Second');
    await agent.list();
    app.process.pause();
    try {
      const stuck = agent.dispatch(fix('briefly'));
      assert.equal((await agent.dispatch(fix('look', 'org.example.Second'))).status, 'executed');
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
    assert.equal((await agent.dispatch(fix('look'))).status, 'executed');
  });

  it('[R137] an app that takes its registration back while it runs is told to stop, and nobody waits for it', async () => {
    const name = 'org.example.Fickle';
    desktop().trust(name);
    const fickle = await desktop().raw();
    await fickle.process.ask('answer', { hang: true });
    for (const [action, status] of [
      ['write', 'unknown'],
      ['look', 'failed'],
    ] as const) {
      await fickle.process.ask('provide', {
        connection: action,
        manifest: signed(fixtureManifest({}, name), KEY),
      });
      await agent.list();
      const outcome = agent.dispatch(fix(action, name));
      if (action === 'write') {
        await person.decide((await person.nextAsked(fix(action, name))).invocation, 'once');
      }
      const invocation = await fickle.process.tellings.next<string>('invoked');
      await fickle.call(UNREGISTER, action);
      assert.equal(await fickle.process.tellings.next('cancelled'), invocation);
      assert.deepInclude(await outcome, { invocation, status, stage: 'dispatch', code: 'ProviderGone' });
      assert.deepEqual(await ending(invocation), { type: status, code: 'ProviderGone' });
    }
    await fickle.process.stop();
  });
});

describe('a call and the end of its connection in one piece', () => {
  const desktop = useDesktop();
  const GHOST = 'org.example.Ghost';
  let agent: AgentPeer;
  let person: PersonPeer;

  before(async () => {
    desktop().trust(GHOST);
    [agent, person] = await Promise.all([desktop().agent(), desktop().person(), desktop().fixture()]);
    await person.confirm([{}]);
  });

  /** The broker knows the connection; while it stands still, both arrive. */
  async function callAndLeave(call: MethodCall): Promise<void> {
    const peer = await desktop().raw();
    await peer.call(listCall());
    const name = await peer.name();
    process.kill(desktop().broker.pid, 'SIGSTOP');
    try {
      const answer = peer.call(call).catch(() => undefined);
      await peer.process.ask('hangUp');
      await answer;
      while ((await peer.call(hasOwnerCall(name), 'another'))[0] === true);
    } finally {
      process.kill(desktop().broker.pid, 'SIGCONT');
    }
    await peer.process.stop();
    await desktop().ping();
  }

  it('[R90] registers no app, in neither tier, and blocks none', async () => {
    await callAndLeave(registerCall(signed(fixtureManifest({}, GHOST), KEY)));
    await callAndLeave(registerCall(JSON.stringify(fixtureManifest({}, GHOST))));
    assert.isUndefined((await agent.list()).apps.find(({ app_id }) => app_id === GHOST));
    const app = await desktop().app();
    assert.equal((await app.serve(signed(fixtureManifest({}, GHOST), KEY))).tier, 1);
    await app.process.stop();
  });

  it('[R90] asks nobody and runs nothing', async () => {
    await callAndLeave(dispatchCall(write, {}));
    const outcome = agent.dispatch(write);
    const { invocation } = await person.nextAsked();
    await person.decide(invocation, 'deny');
    assert.equal((await outcome).invocation, invocation, 'the first question is the next one’s');
    assert.lengthOf(desktop().audit({ type: 'asked' }), 1);
  });

  it('[R90] leaves no confirmation surface that nobody sees', async () => {
    await callAndLeave(operatorCall('RegisterConfirmer', 'oa{sv}', ['/c', options({ fallback: true })]));
    const fallback = await desktop().person();
    await fallback.confirm([{}], true);
    await fallback.process.stop();
  });
});
