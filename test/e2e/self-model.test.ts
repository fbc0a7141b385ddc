// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { useDesktop } from '../support/desktop.ts';
import { FIXTURE, fix } from '../support/fixture-app.ts';
import type { AgentPeer, AppPeer, PersonPeer } from '../support/peers.ts';

describe('what an intelligence is told of itself, over the bus', () => {
  const desktop = useDesktop();
  let app: AppPeer;
  let agent: AgentPeer;
  let person: PersonPeer;

  before(async () => {
    [app, agent, person] = await desktop().trio();
    await agent.dispatch(fix('look'));
  });

  const paramsOf = (capability: string): Record<string, unknown> => {
    if (capability === 'events.subscribe') return { app_id: FIXTURE };
    return capability.startsWith('fix.') ? { path: '/tmp/self' } : {};
  };

  it('[R113] [R130] is what Explain says and what Dispatch then does, for every capability', async () => {
    await person.operate('policy.add', { effect: 'DENY', capability: fix('sing'), reason: 'quiet' });
    await person.operate('policy.add', { effect: 'ASK', capability: fix('anybody'), reason: 'first' });
    const model = await agent.selfModel();
    assert.include(model.forbidden, fix('sing'));
    assert.include(model.asks, fix('anybody'));
    const said = new Map<string, string>([
      ...model.may.map((id): [string, string] => [id, 'allow']),
      ...[...model.asks, ...model.confirms].map((id): [string, string] => [id, 'ask']),
      ...model.forbidden.map((id): [string, string] => [id, 'deny']),
    ]);
    const { capabilities } = await agent.list({ detail: 'ids', limit: 1000 });
    assert.sameMembers(
      [...said.keys()],
      capabilities as unknown as string[],
      'what is visible, and nothing else',
    );
    for (const [capability, effect] of said) {
      const explained = await agent.explain(capability, paramsOf(capability));
      assert.equal(explained.effect, effect, capability);
      const { status, code } = await agent.dispatch(capability, paramsOf(capability));
      const did =
        status === 'executed' || status === 'failed' ? 'allow' : code === 'NoConfirmer' ? 'ask' : 'deny';
      assert.equal(did, effect, `${capability} ${code}`);
    }
  });

  it('[R114] an action has a status of a closed list', async () => {
    await person.pending();
    const waiting = agent.dispatch(fix('mark'), { path: '/tmp/status' });
    const row = await person.nextPending();
    const statuses = async () =>
      new Map((await agent.selfModel()).actions.map(({ invocation, status }) => [invocation, status]));
    assert.equal((await statuses()).get(row.invocation), 'pending');
    await person.operate('approvals.approve', row.id, row.digest);
    const { invocation } = await waiting;
    const now = await statuses();
    assert.equal(now.get(invocation), 'executed');
    for (const status of now.values())
      assert.include(['pending', 'denied', 'expired', 'executed', 'failed', 'unknown'], status);
    assert.equal(app.timesInvoked(fix('mark')), 1);
  });

  it('[R113] says so when it changed, and only then', async () => {
    await agent.process.ask('followSelf');
    const changed = () => agent.process.tellings.all('selfModelChanged').length;
    const before = changed();
    await agent.dispatch(fix('look'));
    // Looked at again and found the same. What is told would be told within a tenth of a second.
    const scope = 'somebody-else';
    await person.operate('policy.add', {
      effect: 'DENY',
      capability: fix('look'),
      scope,
      reason: 'not mine',
    });
    for (const soon = Date.now() + 200; Date.now() < soon; ) await desktop().ping();
    assert.equal(changed(), before, 'nothing changed');
    const { id } = await person.operate<{ id: string }>('policy.add', {
      effect: 'ASK',
      capability: fix('look'),
      reason: 'now it asks',
    });
    await agent.process.tellings.next('selfModelChanged');
    assert.include((await agent.selfModel()).asks, fix('look'));
    assert.equal(changed(), before + 1, 'once for one change');
    await person.operate('policy.remove', id);
    await agent.process.tellings.next('selfModelChanged');
    assert.include((await agent.selfModel()).may, fix('look'));
  });

  it('[R111] [R113] lists live grants', async () => {
    await person.operate('grants.add', {
      principal: 'desk',
      capability: fix('mark'),
      access: 'write',
      target: '/tmp/granted',
      minutes: 1,
      operations: 2,
      reason: 'for a while',
    });
    const [grant] = (await agent.selfModel()).grants;
    assert.deepInclude(grant as object, {
      capability: fix('mark'),
      target: '/tmp/granted',
      operations_left: 2,
    });
  });
});
