// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { useDesktop } from '../support/desktop.ts';
import { FIXTURE, fix } from '../support/fixture-app.ts';
import type { AgentPeer, AppPeer, PersonPeer } from '../support/peers.ts';
import { ACCESS_DENIED, codeOf, tried } from '../support/refusals.ts';

const mark = fix('mark');

describe('what waits for the person, over the bus', () => {
  const desktop = useDesktop();
  let app: AppPeer;
  let agent: AgentPeer;
  let person: PersonPeer;
  let second: PersonPeer;

  before(async () => {
    [app, agent, person, second] = await Promise.all([
      desktop().fixture(),
      desktop().agent(),
      desktop().person(),
      desktop().person(),
    ]);
    await agent.list();
  });

  const ran = (path: string) => app.invoked.filter(({ params }) => params.path === path).length;
  const ask = (path: string, more = {}) => agent.dispatch(mark, { path }, more);

  it('[R124] nobody asks and nobody watches: the answer comes at once, and whoever lists is somebody', async () => {
    assert.deepInclude(await ask('/tmp/nobody'), { status: 'denied', code: 'NoConfirmer' });
    await person.pending();
    const outcome = ask('/tmp/somebody');
    const row = await person.nextPending();
    assert.deepInclude(row, {
      capability: mark,
      state: 'pending',
      app_id: FIXTURE,
      targets: ['/tmp/somebody'],
    });
    assert.includeMembers([...row.choices], ['once', 'session', 'deny']);
    await person.operate('approvals.approve', row.id, row.digest);
    assert.equal((await outcome).status, 'executed');
  });

  it('[R88] B22 twenty approvals at once run it once; nineteen are told that they came too late', async () => {
    const outcome = ask('/tmp/twenty');
    const { id, digest } = await person.nextPending();
    const codes = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        tried((index % 2 === 0 ? person : second).operate('approvals.approve', id, digest)),
      ),
    );
    assert.equal((await outcome).status, 'executed');
    assert.equal(ran('/tmp/twenty'), 1);
    assert.lengthOf(
      codes.filter((code) => code === 'Stale'),
      19,
    );
    assert.equal(await codeOf(person.operate('approvals.approve', id, digest)), 'Stale');
    assert.equal(await codeOf(person.operate('approvals.deny', id)), 'Stale');
  });

  it('[R88] [R119] B22 approving races denying: one outcome, and record and app agree', async () => {
    for (let round = 0; round < 15; round += 1) {
      const path = `/tmp/race${round}`;
      const outcome = ask(path);
      const { id, digest } = await person.nextPending();
      await Promise.all([
        tried(person.operate('approvals.approve', id, digest)),
        tried(second.operate('approvals.deny', id)),
      ]);
      const { status, invocation } = await outcome;
      assert.equal(ran(path), status === 'executed' ? 1 : 0);
      const types = desktop()
        .audit({ invocation })
        .map(({ type }) => type);
      assert.equal(types.filter((type) => type === 'decided').length, 1, types.join());
      assert.equal(types.at(-1), status === 'executed' ? 'executed' : 'denied');
    }
  });

  it('[R83] [R94] B21 an answer is for that digest, and for nothing after it', async () => {
    const outcome = ask('/tmp/digest');
    const { id, digest } = await person.nextPending();
    assert.equal(await codeOf(person.operate('approvals.approve', id, 'ab'.repeat(32))), 'Stale');
    assert.equal((await person.nextPending()).state, 'pending');
    await person.operate('approvals.approve', id, digest);
    assert.equal((await outcome).status, 'executed');
    const again = ask('/tmp/digest');
    const row = await person.nextPending();
    assert.notEqual(row.id, id);
    await person.operate('approvals.deny', row.id, { note: 'not twice' });
    assert.deepInclude(await again, { status: 'denied', code: 'PersonDenied', note: 'not twice' });
    assert.equal(ran('/tmp/digest'), 1);
  });

  it('[R87] B25 changed parameters take every check again; what is refused leaves it waiting', async () => {
    const outcome = ask('/tmp/change', { reason: 'as it is' });
    const { id, digest } = await person.nextPending();
    const change = (params: unknown) =>
      tried(person.operate('approvals.approve', id, digest, { params: JSON.stringify(params) }));
    for (const params of [
      { path: 5 },
      { path: '/tmp/change', x: 1 },
      { path: '/etc/shadow' },
      { path: '/tmp/other' },
      [],
    ])
      assert.equal(await change(params), 'InvalidParams', JSON.stringify(params));
    assert.equal((await person.nextPending()).state, 'pending');
    assert.equal(await change({ path: '/tmp/change', text: 'gently' }), 'ok');
    const { status, invocation } = await outcome;
    assert.equal(status, 'executed');
    assert.deepEqual(app.invoked.at(-1)?.params, { path: '/tmp/change', text: 'gently' });
    const decided = desktop()
      .audit({ invocation })
      .find(({ type }) => type === 'decided');
    assert.equal(decided?.replaced, digest);
    assert.match(String(decided?.commitment), /^[0-9a-f]{64}$/);
    assert.notEqual(decided?.commitment, digest);
  });

  it('[R85] B29 for the session: this caller, this capability, this literal target', async () => {
    const other = await desktop().agent();
    await other.list();
    const first = ask('/tmp/s*');
    const { id, digest } = await person.nextPending();
    await person.operate('approvals.approve', id, digest, { choice: 'session', minutes: 5 });
    assert.equal((await first).status, 'executed');
    assert.equal((await ask('/tmp/s*')).status, 'executed');
    assert.deepInclude(desktop().audit({ type: 'requested', newest: true }).at(-1) as object, {
      decider: 'grant:session',
      grant: 'session',
    });
    const asked = [
      ask('/tmp/sx'),
      ask('/tmp/s*', { requireApproval: true }),
      ask('/tmp/s*', { session: 'another' }),
      other.dispatch(mark, { path: '/tmp/s*' }),
    ];
    // Two of them are the same thing of the same caller, and so one question.
    for (let questions = 0; questions < 3; questions += 1) {
      const row = await person.nextPending();
      await person.operate('approvals.deny', row.id);
    }
    for (const one of await Promise.all(asked)) assert.equal(one.code, 'PersonDenied');
  });

  it('[R92] later keeps it in the list, extend gives more time, and the requester may leave', async () => {
    const outcome = agent.dispatch(mark, { path: '/tmp/later' }, {}, 'leaves');
    const row = await person.nextPending();
    await person.operate('approvals.later', row.id);
    const put = await person.nextPending();
    assert.equal(put.state, 'later');
    assert.isAbove(put.expires_at, row.expires_at);
    await agent.process.ask('cancel', { key: 'leaves' });
    assert.equal((await outcome).code, 'Withdrawn');
    assert.deepEqual(await person.pending(), []);
    const ended = (await person.pending(true)).find(({ id }) => id === row.id);
    assert.equal(ended?.state, 'withdrawn');
    assert.isUndefined(ended?.params, 'what it said is gone');
    assert.equal(await codeOf(person.operate('approvals.extend', row.id)), 'Stale');
  });

  it('[R86] denied for the session: the same is not asked about again', async () => {
    const outcome = ask('/tmp/never');
    const { id } = await person.nextPending();
    await person.operate('approvals.deny', id, { session: true });
    assert.equal((await outcome).code, 'PersonDenied');
    assert.deepInclude(await ask('/tmp/never'), { status: 'denied', stage: 'policy', code: 'PersonDenied' });
    const fresh = ask('/tmp/other-one');
    await person.operate('approvals.deny', (await person.nextPending()).id);
    assert.equal((await fresh).stage, 'confirm');
  });

  it('[R49] the same twice is one question and one execution', async () => {
    const both = [ask('/tmp/same'), ask('/tmp/same')];
    const { id, digest } = await person.nextPending();
    assert.lengthOf(await person.pending(), 1);
    await person.operate('approvals.approve', id, digest);
    const [one, two] = await Promise.all(both);
    assert.deepEqual([one?.status, two?.status], ['executed', 'executed']);
    assert.equal(one?.invocation, two?.invocation);
    assert.equal(ran('/tmp/same'), 1);
  });

  it('[R152] one intention is one question with a row each, and each is decided alone', async () => {
    const desk = await desktop().person();
    await desk.confirm([{ decision: 'once' }, {}, { decision: 'deny' }]);
    const intention = { intention: 'tidy-up' };
    const all = ['/tmp/r1', '/tmp/r2', '/tmp/r3'].map((path) => ask(path, intention));
    const asked = await desk.nextAsked();
    assert.equal((asked as unknown as { rows: number }).rows, 3);
    const codes = (await Promise.all(all)).map(({ status, code }) => code ?? status);
    assert.sameMembers(codes, ['executed', 'PersonDenied', 'PersonDenied'], 'a row left out is denied');
    await desk.process.ask('unregister');
  });

  it('[R125] void at once when what it was bound to changes or is denied', async () => {
    const byRule = ask('/tmp/rule');
    await person.nextPending();
    const { id } = await person.operate<{ id: string }>('policy.add', {
      effect: 'DENY',
      capability: mark,
      target: '/tmp/rule',
      reason: 'no longer',
    });
    assert.deepInclude(await byRule, { status: 'denied', code: 'Void' });
    await person.operate('policy.remove', id);

    const byKey = ask('/tmp/key');
    await person.nextPending();
    desktop().trust(FIXTURE, new Uint8Array(32).fill(9));
    await agent.list();
    assert.deepInclude(await byKey, { status: 'denied', code: 'Void' });
    desktop().trust(FIXTURE);
    assert.equal(ran('/tmp/rule') + ran('/tmp/key'), 0);
  });
});

describe('who may decide, over the bus', () => {
  const desktop = useDesktop();

  it('[R91] [R102] B26 nobody who asks decides, whatever it says of itself', async () => {
    const [app, agent, person, raw] = await Promise.all([
      desktop().fixture(),
      desktop().agent(),
      desktop().person(),
      desktop().raw(),
    ]);
    await agent.list();
    await person.pending();
    const outcome = agent.dispatch(mark, { path: '/tmp/own' });
    const { id, digest } = await person.nextPending();
    const call = (member: string, signature: string, body: readonly unknown[]) =>
      raw.call({
        destination: 'org.portal.Broker1',
        path: '/org/portal/Broker1',
        interface: 'org.portal.Broker1.Operator',
        member,
        signature,
        body,
      });
    // The same process dispatches, and then tries to govern.
    await tried(
      raw.call({
        destination: 'org.portal.Broker1',
        path: '/org/portal/Broker1',
        interface: 'org.portal.Broker1',
        member: 'Dispatch',
        signature: 'ssa{sv}',
        body: [fix('look'), '{}', []],
      }),
    );
    for (const [member, signature, body] of [
      ['Approve', 'ssa{sv}', [id, digest, []]],
      ['AddRule', 's', ['{"effect":"ALLOW","reason":"me"}']],
      ['AddGrant', 's', ['{}']],
      ['Pending', 'a{sv}', [[]]],
      ['Resume', 's', ['*']],
      ['RegisterConfirmer', 'oa{sv}', ['/x', []]],
    ] as const) {
      assert.equal(await codeOf(call(member, signature, body)), ACCESS_DENIED, member);
    }
    const refused = desktop().audit({ type: 'role-refused' });
    assert.isAtLeast(refused.length, 1);
    await person.operate('approvals.deny', id);
    assert.equal((await outcome).code, 'PersonDenied');
    for (const params of [{ approved: true }, { confirmation_token: 'x' }, { auth_level: 'system' }])
      assert.equal((await agent.dispatch(mark, { path: '/tmp/own', ...params })).code, 'InvalidParams');
    assert.equal(app.timesInvoked(mark), 0);
  });
});
