// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { useDesktop } from '../support/desktop.ts';
import { fix, type Json } from '../support/fixture-app.ts';
import type { AgentPeer, AppPeer, PersonPeer } from '../support/peers.ts';
import { codeOf } from '../support/refusals.ts';

const mark = fix('mark');
const own = process.getuid?.() ?? 0;
const isRoot = own === 0;
/** Root is the administrator and need not authenticate, so there the tool is that of `nobody`, who is no person. */
const USER = isRoot ? 65_534 : own;

function principal(id: string, roles: readonly string[], uid: number): Json {
  const all = isRoot ? roles : [...roles, 'operator'];
  return { id, roles: all, level: 'user', match: { uid }, min_binding: 'pid' };
}

describe('what widens where no person authenticates, over the bus', () => {
  const desktop = useDesktop({
    config: {
      decide: { polkit: true, timeout_ms: 10_000 },
      principals: [
        principal('desk', ['intelligence', 'provider'], own),
        ...(isRoot ? [principal('tool', ['operator'], USER)] : []),
      ],
    },
    anyUser: true,
  });
  let app: AppPeer;
  let agent: AgentPeer;
  let person: PersonPeer;
  const rule = (effect: string) =>
    person.operate<{ id: string }>('policy.add', { effect, capability: mark, reason: 'a test' });
  const grant = {
    principal: 'desk',
    capability: mark,
    access: 'write',
    target: '/tmp/*',
    minutes: 5,
    operations: 5,
    reason: 'a test',
  };

  before(async () => {
    [app, agent, person] = await desktop().trio();
    if (isRoot) await person.process.ask('become', { uid: USER });
    await person.pending();
  });

  it('[R91] [R102] every call that widens is refused, and changes nothing; what narrows is not', async () => {
    const { principal: _, ...request } = grant;
    const asked = await agent.requestCapability(request);
    const outcome = agent.dispatch(mark, { path: '/tmp/a' });
    const { id, digest } = await person.nextPending();
    assert.equal(await codeOf(person.operate('approvals.approve', id, digest)), 'NotAllowed');
    assert.equal((await person.nextPending()).state, 'pending');
    const denying = await rule('DENY').then(
      (made) => made.id,
      () => undefined,
    );
    assert.isDefined(denying, 'a denial takes nobody');
    assert.deepInclude(await outcome, { status: 'denied', code: 'Void' });
    await person.operate('stopping.suspend', '*');
    const state = async () =>
      await Promise.all(
        ['policy.rules', 'grants.list', 'grants.requests', 'stopping.list'].map((method) =>
          person.operate(method),
        ),
      );
    const before = await state();
    for (const [method, ...args] of [
      ['policy.add', { effect: 'ALLOW', capability: mark, reason: 'a test' }],
      [
        'policy.add',
        { effect: 'ASK', scope: 'desk', capability: mark, reason: 'more specific than a denial' },
      ],
      ['policy.remove', denying],
      ['grants.add', grant],
      ['grants.grantRequest', asked],
      ['stopping.resume', '*'],
    ] as const) {
      assert.equal(
        await codeOf(person.operate(method, ...args)),
        'NotAllowed',
        `${method} ${JSON.stringify(args)}`,
      );
    }
    assert.deepEqual(await state(), before);
    await person.operate('grants.denyRequest', asked);
    assert.equal(app.timesInvoked(mark), 0);
  });
});
