// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import { assert } from 'chai';
import { Desktop, useDesktop } from '../support/desktop.ts';
import { fix, type Json } from '../support/fixture-app.ts';
import type { AgentPeer, AppPeer, PersonPeer } from '../support/peers.ts';
import { codeOf } from '../support/refusals.ts';

const mark = fix('mark');
const touch = fix('touch');
const look = fix('look');

interface Rules {
  readonly rules: readonly { readonly id: string; readonly source: string; readonly effect: string }[];
  readonly locked: readonly string[];
  readonly files: readonly {
    readonly path: string;
    readonly refused?: { line?: number; at: string; reason: string };
  }[];
}

describe('rules, over the bus', () => {
  const desktop = useDesktop();
  let app: AppPeer;
  let agent: AgentPeer;
  let person: PersonPeer;

  before(async () => {
    [app, agent, person] = await desktop().trio();
  });

  const rules = () => person.operate<Rules>('policy.rules');
  const add = async (rule: Json) =>
    await person.operate<{ id: string; findings: readonly { kind: string }[] }>('policy.add', {
      reason: 'a test',
      ...rule,
    });
  const remove = (id: string) => person.operate('policy.remove', id);
  /** Files are looked at again within a second of being asked about. */
  const until = async (holds: (now: Rules) => boolean): Promise<Rules> => {
    for (;;) {
      const now = await rules();
      if (holds(now)) return now;
    }
  };
  const from = async (source: string, content: Json, more = {}) => {
    const before = (await rules()).rules.filter((one) => one.source === source).length;
    desktop().writeRules(content, more);
    const count = (content.rules as readonly unknown[]).length;
    if (count !== before)
      await until((now) => now.rules.filter((one) => one.source === source).length === count);
  };

  afterEach(async () => {
    await from('root', { rules: [] });
    await from('user', { rules: [] }, { folder: desktop().userRules });
    for (const { id, source } of (await rules()).rules) if (source === 'person') await remove(id);
  });

  it('[R95] [R96] [R97] a rule of the person allows, asks and denies; the most specific decides', async () => {
    await add({ effect: 'ALLOW', capability: mark, target: '/tmp/p/**' });
    assert.equal((await agent.dispatch(mark, { path: '/tmp/p/a' })).status, 'executed');
    await add({ effect: 'DENY', capability: mark, target: '/tmp/p/secret/*', scope: 'desk' });
    assert.deepInclude(await agent.dispatch(mark, { path: '/tmp/p/secret/a' }), {
      status: 'denied',
      stage: 'policy',
      code: 'PolicyDenied',
    });
    await add({ effect: 'ASK', capability: look });
    assert.equal((await agent.explain(look)).effect, 'ask');
    assert.equal((await agent.dispatch(look)).code, 'NoConfirmer');
  });

  it('[R97] [R98] B17 the order in which rules are made never matters', async () => {
    const made = [
      { effect: 'DENY', target: '/tmp/o/**' },
      { effect: 'ALLOW', capability: touch, target: '/tmp/o/d/*' },
    ];
    for (const order of [made, made.toReversed()]) {
      const ids: string[] = [];
      for (const rule of order) ids.push((await add(rule)).id);
      assert.equal((await agent.dispatch(touch, { path: '/tmp/o/d/a' })).status, 'executed');
      assert.equal((await agent.dispatch(touch, { path: '/tmp/o/a' })).code, 'PolicyDenied');
      for (const id of ids) await remove(id);
    }
    const effects = ['ALLOW', 'ASK', 'DENY'];
    for (const rotated of [0, 1, 2]) {
      const ids: string[] = [];
      for (const n of [0, 1, 2])
        ids.push((await add({ effect: effects[(n + rotated) % 3], capability: look })).id);
      assert.equal((await agent.dispatch(look)).code, 'PolicyDenied');
      for (const id of ids) await remove(id);
    }
  });

  it('[R95] B18 a window of hours holds from its first hour to before its last, over midnight too', async () => {
    const now = new Date().getHours();
    const hours = (from: number, to: number) => ({ from: (now + from + 24) % 24, to: (now + to + 24) % 24 });
    for (const [window, holds] of [
      [hours(0, 1), true],
      [hours(-1, 1), true],
      [hours(-5, 0), false],
      [hours(1, 5), false],
      [hours(-12, 6), true],
      [hours(3, 3), true],
    ] as const) {
      const { id } = await add({ effect: 'DENY', capability: look, hours: window });
      const { status } = await agent.dispatch(look);
      assert.equal(status === 'denied', holds, JSON.stringify(window));
      await remove(id);
    }
    for (const bad of [
      { from: 25, to: 6 },
      { from: -1, to: 5 },
      { from: 9.5, to: 17 },
      { from: 'nine', to: 17 },
      { from: 9 },
    ])
      assert.equal(await codeOf(add({ effect: 'DENY', hours: bad })), 'RuleInvalid', JSON.stringify(bad));
  });

  it("[R44] [R103] the administrator's DENY is final, an ASK a floor, a lock a lock", async () => {
    await add({ effect: 'ALLOW', capability: touch, scope: 'desk', target: '/tmp/r/*', action: 'read' });
    await from('root', { rules: [{ effect: 'DENY', target: '/tmp/r/**', reason: 'final' }], locked: [look] });
    assert.equal((await agent.dispatch(touch, { path: '/tmp/r/a' })).code, 'PolicyDenied');
    assert.equal((await agent.dispatch(look)).code, 'PolicyDenied');
    const now = await rules();
    assert.deepEqual(now.locked, [look]);
    assert.deepInclude(now.rules.find(({ source }) => source === 'root') as object, { id: 'root:test:1' });
    const [denied] = desktop().audit({ type: 'denied', newest: true }).slice(-2);
    assert.deepInclude(denied as object, { rule: 'root:test:1', effect: 'deny', specificity: 2 });
  });

  it("the user's files tighten and never loosen", async () => {
    await from(
      'user',
      { rules: [{ effect: 'DENY', capability: look, reason: 'mine' }] },
      { folder: desktop().userRules },
    );
    assert.equal((await agent.dispatch(look)).code, 'PolicyDenied');
    desktop().writeRules({ rules: [{ effect: 'ALLOW', reason: 'me' }] }, { folder: desktop().userRules });
    const refused = await until((now) => now.files.some((file) => file.refused !== undefined));
    const file = refused.files.find((one) => one.refused !== undefined);
    assert.include(file?.path, desktop().userRules);
    assert.match(file?.refused?.at ?? '', /^\/rules\/0/);
    desktop().writeRules({ rules: [] }, { folder: desktop().userRules });
    await until((now) => now.files.every((one) => one.refused === undefined));
  });

  it('[R127] a file that is refused leaves what held before, and says where and why', async () => {
    await from('root', { rules: [{ effect: 'DENY', capability: look, reason: 'stays' }] });
    desktop().writeRules({
      rules: [
        { effect: 'DENY', capability: touch, reason: 'fine' },
        { effect: 'DENY', hours: { from: 25, to: 6 }, reason: 'not fine' },
      ],
    });
    const now = await until(({ files }) => files.some((file) => file.refused !== undefined));
    const { refused } = now.files.find((file) => file.refused !== undefined) ?? {};
    assert.match(refused?.at ?? '', /^\/rules\/1\/hours/);
    assert.isAbove(refused?.line ?? 0, 5);
    assert.equal((await agent.dispatch(look)).code, 'PolicyDenied');
    assert.equal((await agent.dispatch(touch, { path: '/tmp/x' })).status, 'executed');
    desktop().writeRules({ rules: [] });
    await until(({ files }) => files.every((file) => file.refused === undefined));
  });

  it('[R127] [R129] what is odd about a new rule is said when it is made', async () => {
    await add({ effect: 'DENY', target: '/tmp/odd/**' });
    const { findings } = await add({ effect: 'ALLOW', target: '/tmp/odd/a/*' });
    assert.include(
      findings.map(({ kind }) => kind),
      'shadowed',
    );
    for (const { id } of (await rules()).rules) await remove(id);
    const confirms = await add({ effect: 'ALLOW', capability: fix('delete') });
    assert.include(
      confirms.findings.map(({ kind }) => kind),
      'no-effect',
    );
  });

  it('[R101] [R145] the matrix, [R130] explaining and simulating tell the truth and do nothing', async () => {
    const runs = app.invoked.length;
    const self = (await agent.selfModel()).principal;
    const matrix = await person.operate<readonly Record<string, unknown>[]>('policy.matrix', {
      principal: self,
    });
    const row = (capability: string) => matrix.find((one) => one.capability === capability);
    assert.deepInclude(row(look) as object, { effect: 'allow', decider: 'gate', depends_on_target: false });
    assert.deepInclude(row(mark) as object, { effect: 'ask', gate: 'ask' });
    assert.deepInclude(row(fix('privileged')) as object, { effect: 'deny', decider: 'level' });

    const { id } = await add({ effect: 'DENY', capability: touch, target: '/tmp/e/*' });
    const full = await person.operate<Json>('policy.explain', self, touch, { path: '/tmp/e/a' });
    assert.deepInclude(full, { effect: 'deny', stage: 'policy', rule: id, specificity: 6, decider: 'rule' });
    assert.deepEqual(full.considered, [id]);
    const own = await agent.explain(touch, { path: '/tmp/e/a' });
    assert.notProperty(own, 'rule');
    assert.notInclude(JSON.stringify(own), id);

    await agent.dispatch(look);
    const report = await person.operate<Json & { flips: number }>('policy.simulate', [
      { effect: 'DENY', capability: look, reason: 'what if' },
    ]);
    assert.isAtLeast(report.flips, 1);
    assert.equal((await agent.dispatch(look)).status, 'executed');
    assert.equal(app.invoked.length, runs + 2);
    const dream = await person.operate<Json>('policy.explain', self, look, {}, { context: 'dream' });
    assert.equal(dream.code, 'ContextForbidden');
    assert.equal((await agent.dispatch(look)).status, 'executed', 'a look ahead makes nobody dream');
  });
});

describe('a policy that cannot be read when the broker starts', () => {
  it("keeps it from starting where it is the administrator's", async () => {
    const desktop = await Desktop.start();
    try {
      await desktop.broker.end();
      desktop.writeRules({ rules: [{ effect: 'DENY', reason: 'x', capability: '*', colour: 'red' }] });
      const broker = desktop.startBroker();
      const failure = await broker.ready().then(
        () => undefined,
        (error: unknown) => error,
      );
      assert.instanceOf(failure, Error);
      assert.include(broker.log + String(failure), join(desktop.rules, 'test.json'));
    } finally {
      await desktop.stop().catch(() => undefined);
    }
  });
});
