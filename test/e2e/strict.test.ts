// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { useDesktop } from '../support/desktop.ts';
import { fix } from '../support/fixture-app.ts';
import type { AgentPeer, PersonPeer } from '../support/peers.ts';

/** The fixture's reads of this machine that nobody declared to need more. */
const AUTOMATIC = ['look', 'anybody', 'briefly', 'seldom', 'touch'].map((action) => fix(action));
const touch = fix('touch');
const mark = fix('mark');

describe('the profile `strict`, over the bus', () => {
  const desktop = useDesktop({ config: { profile: 'strict' } });
  let agent: AgentPeer;
  let person: PersonPeer;

  before(async () => {
    [, agent, person] = await desktop().trio();
  });

  it('[R79] [R80] only what reads this machine is automatic; everything else confirms', async () => {
    const { capabilities } = await agent.list({ detail: 'ids', limit: 1000 });
    const mine = capabilities.map(String).filter((id) => id.startsWith('fix.'));
    assert.isAbove(mine.length, AUTOMATIC.length);
    for (const capability of mine) {
      const { gate, effect } = await agent.explain(capability, { path: '/tmp/a' });
      const automatic = AUTOMATIC.includes(capability);
      assert.deepEqual([gate, effect], automatic ? ['automatic', 'allow'] : ['confirm', 'ask'], capability);
    }
  });

  it('[R81] [R109] no rule and no grant takes the place of a person', async () => {
    await person.operate('policy.add', { effect: 'ALLOW', capability: mark, reason: 'a test' });
    await person.operate('policy.add', { effect: 'ASK', capability: touch, reason: 'a test' });
    for (const [capability, access] of [
      [mark, 'write'],
      [touch, 'read'],
    ]) {
      const { findings } = await person.operate<{ findings: readonly { kind: string }[] }>('grants.add', {
        principal: 'desk',
        capability,
        access,
        target: '/tmp/*',
        minutes: 5,
        operations: 5,
        reason: 'a test',
      });
      assert.include(
        findings.map(({ kind }) => kind),
        'no-effect',
      );
    }
    for (const capability of [mark, touch]) {
      assert.deepInclude(await agent.dispatch(capability, { path: '/tmp/a' }), {
        status: 'denied',
        code: 'NoConfirmer',
      });
    }
    await person.pending();
    const outcome = agent.dispatch(mark, { path: '/tmp/a' });
    const { id, digest, choices } = await person.nextPending();
    assert.notInclude(choices, 'session', 'an answer for the session would have no effect');
    await person.operate('approvals.approve', id, digest);
    const { status, invocation } = await outcome;
    assert.equal(status, 'executed');
    for (const { profile } of desktop().audit({ invocation })) assert.equal(profile, 'strict');
  });
});
