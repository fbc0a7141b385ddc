// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import type { Outcome } from '../../broker/client.ts';
import { KEY, useDesktop } from '../support/desktop.ts';
import { fix, fixtureCapability, fixtureManifest, type Json, signed } from '../support/fixture-app.ts';
import type { AgentPeer, AppPeer, PersonPeer } from '../support/peers.ts';

const remove = fix('delete');
const GONE = { status: 'denied', stage: 'undo', code: 'UndoGone' } as const;

describe('taking back, over the bus', () => {
  const desktop = useDesktop();
  const manifest = fixtureManifest();
  const momentary = fixtureCapability('momentary', { side_effects: 'write', undo_window_ms: 1 });
  const capabilities = [...(manifest.capabilities as Json[]), momentary];
  let app: AppPeer;
  let agent: AgentPeer;
  let person: PersonPeer;

  before(async () => {
    [app, agent, person] = await Promise.all([
      desktop().fixture({ capabilities }),
      desktop().agent(),
      desktop().person(),
    ]);
    await person.confirm([{ decision: 'once' }]);
    await agent.list();
    for (const capability of [remove, fix('write'), fix('momentary')])
      await app.behave(capability, {
        result: { success: true, data: {}, undoToken: `token of ${capability}` },
      });
  });

  const done = async (capability = remove): Promise<Outcome> => {
    const outcome = await agent.dispatch(capability, { text: 'x' });
    assert.equal(outcome.status, 'executed');
    return outcome;
  };

  it('[R26] [R49] [R156] is offered until a time, asked about again, and done by the app with its own token', async () => {
    const { invocation, undo } = await done();
    assert.isAbove(undo?.until ?? 0, Date.now());
    assert.isAtMost(undo?.until ?? 0, Date.now() + 30_000);
    const asked = person.asked.length;
    const taken = await agent.undo(invocation);
    assert.deepInclude(taken, { status: 'executed', stage: 'outcome' });
    assert.notProperty(taken, 'undo', 'what was taken back cannot be taken back');
    assert.deepInclude((await app.process.tellings.next<Json>('undone')) as object, {
      token: `token of ${remove}`,
    });
    assert.deepInclude(person.asked[asked] as object, { kind: 'undo', capability: remove, risk: 'high' });
    const types = desktop()
      .audit({ invocation })
      .map(({ type }) => type);
    assert.deepEqual(types, ['asked', 'decided', 'requested', 'executed', 'undone']);
    assert.isTrue(desktop().verify().ok);
  });

  it('[R156] works once', async () => {
    const { invocation } = await done();
    const [one, other] = await Promise.all([agent.undo(invocation), agent.undo(invocation)]);
    assert.equal(one.status, 'executed');
    assert.deepEqual(other, one, 'the same twice is one question and one undoing');
    assert.deepInclude(await agent.undo(invocation), GONE);
    await app.process.tellings.next('undone');
  });

  it('[R156] the person takes back without being asked whether they meant it', async () => {
    const { invocation } = await done();
    const asked = person.asked.length;
    const taken = await person.process.ask<Outcome>('takeBack', { invocation });
    assert.equal(taken.status, 'executed');
    assert.equal(person.asked.length, asked);
    await app.process.tellings.next('undone');
    assert.deepInclude(await agent.undo(invocation), GONE);
  });

  it('[R86] the person’s no to the undoing leaves it open for another try', async () => {
    const { invocation } = await done();
    await person.script({ decision: 'deny' }, { decision: 'once' });
    assert.equal((await agent.undo(invocation)).code, 'PersonDenied');
    assert.equal((await agent.undo(invocation)).status, 'executed');
    await app.process.tellings.next('undone');
  });

  it('[R156] is for the one who did it: to anybody else there is nothing', async () => {
    const { invocation } = await done();
    const other = await desktop().agent();
    await other.list();
    assert.deepInclude(await other.undo(invocation), GONE);
    assert.deepInclude(await other.undo('no-such-invocation'), GONE);
  });

  it('[R26] is not offered without a declared window, and over when that is over', async () => {
    assert.notProperty(await done(fix('write')), 'undo');
    const { invocation, undo } = await done(fix('momentary'));
    assert.isDefined(undo);
    while (Date.now() <= (undo?.until ?? 0)) await desktop().ping();
    assert.deepInclude(await agent.undo(invocation), GONE);
  });

  it('[R137] a failed undo is unknown, and not tried twice', async () => {
    const { invocation } = await done();
    await app.behave('undo', { crash: 'half-way' });
    assert.equal((await agent.undo(invocation)).status, 'unknown');
    assert.deepInclude(await agent.undo(invocation), GONE);
    await app.behave('undo', {});
  });

  it('[R156] needs the same app, as the same process', async () => {
    const { invocation } = await done();
    await app.process.stop();
    while ((await agent.list()).apps.length > 0) await desktop().ping();
    app = await desktop().app();
    await app.serve(signed({ ...manifest, capabilities }, KEY));
    assert.deepInclude(await agent.undo(invocation), GONE);
    assert.deepEqual(app.process.tellings.all('undone'), []);
  });
});
