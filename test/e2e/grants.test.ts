// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { KEY, useDesktop } from '../support/desktop.ts';
import { fix, fixtureManifest, signed } from '../support/fixture-app.ts';
import type { AgentPeer, AppPeer, PersonPeer } from '../support/peers.ts';
import { codeOf, LIMITS_EXCEEDED } from '../support/refusals.ts';

const mark = fix('mark');

describe('grants and requests for them, over the bus', () => {
  const desktop = useDesktop({ config: { quotas: { questions: 200, questions_per_principal: 100 } } });
  let app: AppPeer;
  let agent: AgentPeer;
  let person: PersonPeer;

  before(async () => {
    [app, agent, person] = await desktop().trio();
    await person.pending();
  });

  const grant = async (more: object) =>
    await person.operate<{ id: string; findings: readonly { kind: string; text: string }[] }>('grants.add', {
      principal: 'desk',
      capability: mark,
      access: 'write',
      target: '/tmp/g/*',
      minutes: 5,
      operations: 1,
      reason: 'a test',
      ...more,
    });
  const denyAll = async (count: number) => {
    for (let left = count; left > 0; left -= 1) {
      await person.operate('approvals.deny', (await person.nextPending()).id);
    }
  };

  it('[R107] B30 a grant of one under fifty at once runs one; the others ask', async () => {
    const before = app.timesInvoked(mark);
    const { findings } = await grant({});
    assert.deepEqual(findings, []);
    const all = Array.from({ length: 50 }, (_, index) => agent.dispatch(mark, { path: `/tmp/g/${index}` }));
    await denyAll(49);
    const codes = (await Promise.all(all)).map(({ status, code }) => code ?? status);
    assert.lengthOf(
      codes.filter((code) => code === 'executed'),
      1,
    );
    assert.equal(app.timesInvoked(mark), before + 1);
    assert.deepEqual(await person.operate('grants.list'), [], 'it is used up');
  });

  it('[R107] B30 what is invalid or denied uses nothing; what ran counts, however it ended', async () => {
    const { id } = await grant({ operations: 3 });
    const rule = await person.operate<{ id: string }>('policy.add', {
      effect: 'DENY',
      capability: mark,
      target: '/tmp/g/no',
      reason: 'not this',
    });
    const run = (params: object) => agent.dispatch(mark, params as Record<string, unknown>);
    assert.equal((await run({ path: 7 })).code, 'InvalidParams');
    assert.equal((await run({ path: '/tmp/g/a', more: 1 })).code, 'InvalidParams');
    assert.equal((await run({ path: '/tmp/g/no' })).code, 'PolicyDenied');
    await app.behave(mark, { crash: 'it broke' });
    const left = async () =>
      (await person.operate<readonly { id: string; operations_left?: number }[]>('grants.list')).find(
        (one) => one.id === id,
      )?.operations_left;
    assert.equal(await left(), 3);
    for (const path of ['/tmp/g/1', '/tmp/g/2', '/tmp/g/3'])
      assert.notEqual((await run({ path })).status, 'denied');
    await app.behave(mark, {});
    assert.isUndefined(await left());
    const asks = run({ path: '/tmp/g/4' });
    await denyAll(1);
    assert.equal((await asks).code, 'PersonDenied');
    await person.operate('policy.remove', rule.id);
  });

  it('[R107] B30 bad counts, times and shapes are refused when it is made', async () => {
    for (const more of [
      { operations: 0 },
      { operations: -1 },
      { operations: 1.5 },
      { operations: undefined },
      { minutes: 0 },
      { minutes: 10_081 },
      { target: undefined },
      { principal: 'unmatched:0' },
      { capability: fix('nothing') },
      { access: 'all' },
      { approved: true },
    ]) {
      assert.equal(await codeOf(grant(more)), 'GrantInvalid', JSON.stringify(more));
    }
  });

  it('[R107] B30 a number that cannot be read exactly is no count', async () => {
    assert.equal(await codeOf(grant({ operations: 1e20 })), 'InvalidArgs');
  });

  it('[R109] answers nowhere but where policy asks: not over a denial, a lock or a gate that confirms', async () => {
    const { findings } = await grant({ capability: fix('delete'), target: undefined });
    assert.match(findings[0]?.text ?? '', /each time/);
    const confirms = agent.dispatch(fix('delete'), { text: 'x' });
    await denyAll(1);
    assert.equal((await confirms).code, 'PersonDenied');

    const { id } = await grant({ operations: 5 });
    desktop().writeRules({ rules: [{ effect: 'DENY', capability: mark, reason: 'no' }] });
    await person.operate('policy.rules');
    for (;;) {
      const { code } = await agent.dispatch(mark, { path: '/tmp/g/denied' }, { requireApproval: false });
      if (code === 'PolicyDenied') break; // files are looked at again within a second
    }
    desktop().writeRules({ rules: [] });
    for (;;) {
      if ((await agent.explain(mark, { path: '/tmp/g/x' })).effect === 'allow') break;
    }
    const wished = agent.dispatch(mark, { path: '/tmp/g/wished' }, { requireApproval: true });
    await denyAll(1);
    assert.equal(
      (await wished).code,
      'PersonDenied',
      '[R110] a wish for approval is not answered by a grant',
    );
    await person.operate('grants.revoke', id);
  });

  it('[R108] can be narrowed and never widened, and revoked at once', async () => {
    const { id } = await grant({ operations: 5 });
    for (const wider of [{ target: '/tmp/**' }, { operations: 50 }, { minutes: 10_000 }])
      assert.equal(
        await codeOf(person.operate('grants.narrow', id, wider)),
        'GrantInvalid',
        JSON.stringify(wider),
      );
    await person.operate('grants.narrow', id, { target: '/tmp/g/only' });
    assert.equal((await agent.dispatch(mark, { path: '/tmp/g/only' })).status, 'executed');
    const outside = agent.dispatch(mark, { path: '/tmp/g/else' });
    await denyAll(1);
    assert.equal((await outside).code, 'PersonDenied');
    await person.operate('grants.revoke', id);
    const after = agent.dispatch(mark, { path: '/tmp/g/only' });
    await denyAll(1);
    assert.equal((await after).code, 'PersonDenied');
  });

  it('[R104] [R105] [R106] what an intelligence asks to be granted', async () => {
    const request = (target: string) => ({
      capability: mark,
      access: 'write',
      target,
      minutes: 60,
      operations: 9,
      reason: 'sorting',
      evidence: ['seen \u202e today'],
      risk: 'a file moves',
      mitigation: 'undo',
      fallback: 'ask each time',
      alternatives: ['leave it'],
      intention: 'sort',
    });
    const ids: string[] = [];
    for (const n of [1, 2, 3, 4, 5]) ids.push(await agent.requestCapability(request(`/tmp/q/${n}`)));
    assert.equal(
      await agent.requestCapability(request('/tmp/q/1')),
      ids[0],
      'the same again is the same request',
    );
    assert.equal(
      await codeOf(agent.requestCapability(request('/tmp/q/6'))),
      LIMITS_EXCEEDED.split('.').at(-1),
    );
    const rows = await person.operate<readonly Record<string, unknown>[]>('grants.requests');
    assert.lengthOf(rows, 5);
    assert.include(JSON.stringify(rows[0]?.evidence), 'u{202e}', 'shown, not obeyed');
    await agent.process.ask('withdrawRequest', { id: ids[4] });
    await person.operate('grants.denyRequest', ids[3], 'not that one');
    assert.equal(
      await codeOf(person.operate('grants.grantRequest', ids[0], { operations: 99 })),
      'GrantInvalid',
    );
    await person.operate('grants.grantRequest', ids[0], { operations: 1 });
    assert.equal((await agent.dispatch(mark, { path: '/tmp/q/1' })).status, 'executed');
    const used = agent.dispatch(mark, { path: '/tmp/q/1' });
    await denyAll(1);
    assert.equal((await used).code, 'PersonDenied');
    const model = await agent.selfModel();
    const states = new Map(model.requests.map(({ id, state }) => [id, state]));
    assert.deepEqual(
      ids.map((id) => states.get(id)),
      ['granted', 'open', 'open', 'denied', 'withdrawn'],
    );
    const [first] =
      await person.operate<readonly { earlier: readonly { decision: string }[] }[]>('grants.requests');
    assert.include(
      (first?.earlier ?? []).map(({ decision }) => decision),
      'grant',
    );
  });

  it('[R107] is bound to the definition: another version asks again', async () => {
    await grant({ operations: 5 });
    const manifest = fixtureManifest({ version: '2.0' });
    const capabilities = (manifest.capabilities as readonly Record<string, unknown>[]).map((one) =>
      one.id === mark ? { ...one, version: '2.0', description: 'Means something else now' } : one,
    );
    app.process.kill();
    while ((await person.apps()).some(({ tier }) => tier === 1)) await desktop().ping();
    const standing = await (await desktop().app()).serve(signed({ ...manifest, capabilities }, KEY));
    assert.equal(standing.tier, 1, JSON.stringify(standing));
    await agent.list();
    const outcome = agent.dispatch(mark, { path: '/tmp/g/new' });
    await denyAll(1);
    assert.equal((await outcome).code, 'PersonDenied');
  });
});
