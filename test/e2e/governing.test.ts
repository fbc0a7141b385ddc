// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { BUS_NAME, OPERATOR, ROOT_PATH } from '../../broker/bus/names.ts';
import { completeTypes } from '../../dbus/signature.ts';
import { variant } from '../../dbus/values.ts';
import { RawPeer as Attacker } from '../dbus/raw-peer.ts';
import { dispatchCall, listCall, operatorCall, registerCall } from '../support/broker-calls.ts';
import { contractMethods } from '../support/contract.ts';
import { type Desktop, KEY, useDesktop } from '../support/desktop.ts';
import { fix, fixtureManifest, type Json, signed } from '../support/fixture-app.ts';
import type { AgentPeer, AppPeer, PersonPeer, RawPeer } from '../support/peers.ts';
import { ACCESS_DENIED, codeOf, INVALID_ARGS, tried } from '../support/refusals.ts';

const SIGNAL = 4;
const mark = fix('mark');
const GOVERNING = contractMethods().filter(({ interface: name }) => name === OPERATOR);
const ARGUMENTS: Readonly<Record<string, unknown>> = { s: '*', u: 0, o: '/x', 'a{sv}': {} };
const GRANT = {
  principal: 'desk',
  capability: mark,
  access: 'write',
  target: '/tmp/*',
  minutes: 5,
  operations: 1,
  reason: 'a test',
};
const REQUEST = {
  capability: mark,
  access: 'write',
  target: '/tmp/*',
  minutes: 5,
  operations: 1,
  reason: 'x',
};

/** Every method of the operator's interface is refused to this process. */
async function governsNothing(peer: RawPeer): Promise<void> {
  assert.isAbove(GOVERNING.length, 25);
  for (const { member, in: signature } of GOVERNING) {
    const body = completeTypes(signature).map((type) => ARGUMENTS[type]);
    assert.equal(await codeOf(peer.call(operatorCall(member, signature, body))), ACCESS_DENIED, member);
  }
}

/** What governs: whoever was refused must have changed none of it. */
async function governing(person: PersonPeer): Promise<unknown> {
  return await Promise.all(
    ['policy.rules', 'grants.list', 'grants.requests', 'stopping.list', 'approvals.list'].map((method) =>
      person.operate(method),
    ),
  );
}

describe('who governs, over the bus', () => {
  const desktop = useDesktop();
  let app: AppPeer;
  let agent: AgentPeer;
  let person: PersonPeer;

  before(async () => {
    [app, agent, person] = await desktop().trio();
    await person.pending();
  });

  it('[R102] neither who dispatched nor who offers capabilities may call one method of the operator', async () => {
    desktop().trust('org.example.Governs');
    const before = await governing(person);
    for (const first of [
      dispatchCall('system.health', {}),
      registerCall(signed(fixtureManifest({}, 'org.example.Governs'), KEY)),
    ]) {
      const peer = await desktop().raw();
      await peer.call(listCall());
      await peer.call(first);
      await governsNothing(peer);
      const refused = desktop().audit({ type: 'role-refused' });
      assert.isTrue(refused.some(({ pid }) => pid === peer.process.pid));
      await peer.process.stop();
    }
    assert.deepEqual(await governing(person), before);
  });

  it('[R91] a forged signal decides nothing, whatever it is called', async () => {
    const outcome = agent.dispatch(mark, { path: '/tmp/forged' });
    const { id, digest } = await person.nextPending();
    const attacker = await Attacker.open(desktop().address);
    for (const [name, member, signature, body] of [
      [OPERATOR, 'Approved', 'ss', [id, digest]],
      [OPERATOR, 'PendingChanged', 'as', [[id]]],
      ['org.portal.Broker1.Confirmer', 'Approved', 'ss', [id, digest]],
      ['org.portal.Broker1.Confirmer', 'Confirm', 'a{sv}', [[[digest, variant('s', 'once')]]]],
      ['org.freedesktop.Notifications', 'ActionInvoked', 'us', [1, 'approve']],
      ['org.freedesktop.Notifications', 'ActionInvoked', 'us', [1, id]],
    ] as const) {
      for (const destination of [BUS_NAME, undefined]) {
        const signal = { type: SIGNAL, path: ROOT_PATH, interface: name, member, signature, body: [...body] };
        attacker.send(destination === undefined ? signal : { ...signal, destination });
      }
    }
    await attacker.close();
    assert.equal((await person.nextPending()).state, 'pending');
    assert.equal(app.timesInvoked(mark), 0);
    await person.operate('approvals.deny', id);
    assert.equal((await outcome).code, 'PersonDenied');
  });

  it('[R91] [R67] nothing in an operator’s call says who decides or that anybody approved', async () => {
    const outcome = agent.dispatch(mark, { path: '/tmp/claims' });
    const { id, digest } = await person.nextPending();
    const peer = await desktop().raw();
    for (const [key, value] of [
      ['decider', variant('s', 'user:0')],
      ['approved', variant('b', true)],
      ['choice', variant('s', 'always')],
      ['minutes', variant('u', 481)],
    ] as const) {
      const call = operatorCall('Approve', 'ssa{sv}', [id, digest, { [key]: value }]);
      assert.equal(await codeOf(peer.call(call)), INVALID_ARGS, key);
    }
    await peer.process.stop();
    for (const more of [{ source: 'root' }, { id: 'root:a:1' }, { decider: 'anna' }, { specificity: 99 }])
      assert.equal(
        await codeOf(person.operate('policy.add', { effect: 'DENY', reason: 'x', ...more })),
        'RuleInvalid',
        JSON.stringify(more),
      );
    for (const more of [{ granted_by: 'user:0' }, { id: 'x' }, { kind: 'session' }, { expires_at: 1e15 }])
      assert.equal(
        await codeOf(person.operate('grants.add', { ...GRANT, ...more })),
        'GrantInvalid',
        JSON.stringify(more),
      );
    for (const more of [{ principal: 'desk' }, { approved: true }, { state: 'granted' }, { earlier: [] }])
      assert.equal(
        await codeOf(agent.requestCapability({ ...REQUEST, ...more })),
        'RequestInvalid',
        JSON.stringify(more),
      );
    assert.equal((await person.nextPending()).state, 'pending');
    await person.operate('approvals.deny', id);
    await outcome;
  });
});

describe('an unmatched peer, over the bus', () => {
  const desktop = useDesktop({
    config: { principals: [{ id: 'nobody', roles: ['operator'], level: 'user', match: { uid: 4_000_000 } }] },
  });

  it('[R102] governs nothing, and is granted nothing', async () => {
    const peer = await desktop().raw();
    await governsNothing(peer);
    const agent = await desktop().agent();
    assert.notEqual(await tried(agent.requestCapability(REQUEST)), 'ok');
  });
});

describe('too much of what governs, over the bus', () => {
  const desktop = useDesktop();
  let agent: AgentPeer;
  let person: PersonPeer;

  before(async () => {
    [, agent, person] = await desktop().trio();
  });

  // After each of these: the same process does its work for others, and nothing was kept of what was refused.
  afterEach(async () => {
    await serves(desktop(), agent);
    const { rules } = await person.operate<{ rules: readonly unknown[] }>('policy.rules');
    assert.deepEqual([rules, await person.operate('grants.list')], [[], []]);
  });

  const text = (length: number) => 'x'.repeat(length);
  const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)]);
  const many = (count: number): Json =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`/p${index}`, '*']));

  it('[R128] rules that are too long, too deep or match too much', async () => {
    const rule = (more: Json) =>
      codeOf(person.operate('policy.add', { effect: 'DENY', reason: 'x', ...more }));
    for (const more of [
      { reason: text(501) },
      { target: `/${text(100_000)}` },
      { target: `/${'{a,b}'.repeat(20)}` },
      { target: `/${'{a,'.repeat(200)}b${'}'.repeat(200)}` },
      { scope: text(100_000) },
      { hours: { from: 1e9, to: 2 } },
    ])
      assert.equal(await rule(more), 'RuleInvalid', JSON.stringify(more).slice(0, 60));
    for (const more of [{ reason: text(600_000) }, { target: deep(40) }])
      assert.equal(await rule(more), 'InvalidArgs');
  });

  it('[R107] [R104] grants and requests that are', async () => {
    const wrong: readonly Json[] = [
      { params: many(1000) },
      { params: { '/text': `${'{a,b}'.repeat(20)}` } },
      { target: `/${text(100_000)}` },
      { reason: text(100_000) },
    ];
    for (const more of wrong) {
      const shown = JSON.stringify(more).slice(0, 60);
      assert.equal(await codeOf(person.operate('grants.add', { ...GRANT, ...more })), 'GrantInvalid', shown);
      assert.equal(await codeOf(agent.requestCapability({ ...REQUEST, ...more })), 'RequestInvalid', shown);
    }
    for (const more of [
      { evidence: Array.from({ length: 1000 }, () => 'seen') },
      { alternatives: [text(100_000)] },
      { intention: text(1000) },
    ])
      assert.equal(await codeOf(agent.requestCapability({ ...REQUEST, ...more })), 'RequestInvalid');
    for (const more of [{ reason: text(600_000) }, { evidence: deep(40) }])
      assert.include(
        ['InvalidArgs', 'LimitsExceeded'],
        await codeOf(agent.requestCapability({ ...REQUEST, ...more })),
      );
  });

  it('[R129] rules by the ten thousand in one simulation', async () => {
    const rules = (count: number) =>
      Array.from({ length: count }, (_, index) => ({
        effect: 'ASK',
        target: `/${index}/**`,
        reason: 'x',
      }));
    assert.equal(await tried(person.operate('policy.simulate', rules(1000))), 'ok');
    assert.include(
      ['InvalidArgs', 'RuleInvalid'],
      await codeOf(person.operate('policy.simulate', rules(20_000))),
    );
  });

  it('[R106] a flood of requests leaves five, and others are served', async () => {
    const flood = Array.from({ length: 400 }, (_, index) =>
      tried(agent.requestCapability({ ...REQUEST, target: `/tmp/flood/${index}` })),
    );
    const other = await desktop().agent();
    await other.list();
    assert.equal((await other.dispatch('system.health')).status, 'executed');
    const codes = await Promise.all(flood);
    assert.lengthOf(
      codes.filter((code) => code === 'ok'),
      5,
    );
    assert.isTrue(codes.every((code) => code === 'ok' || code === 'LimitsExceeded'));
    const rows = await person.operate<readonly { id: string }[]>('grants.requests');
    assert.lengthOf(rows, 5);
    for (const { id } of rows) await person.operate('grants.denyRequest', id);
  });
});

async function serves(desktop: Desktop, agent: AgentPeer): Promise<void> {
  await desktop.ping();
  assert.isTrue(desktop.broker.running);
  assert.notInclude(desktop.broker.log, '"msg":"fault"');
  assert.equal((await agent.dispatch('system.health')).status, 'executed');
}
