// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { useDesktop } from '../support/desktop.ts';
import { fix } from '../support/fixture-app.ts';
import type { AgentPeer, AppPeer, Asked, PersonPeer } from '../support/peers.ts';
import { codeOf } from '../support/refusals.ts';

const write = fix('write');

describe('the person, asked over the bus', () => {
  const desktop = useDesktop({
    config: { confirm: { deadline_ms: 20_000, arming_ms: 0, reoffer_ms: 20_000 } },
  });
  let app: AppPeer;
  let agent: AgentPeer;
  let person: PersonPeer;

  before(async () => {
    [app, agent, person] = await desktop().trio();
    await person.confirm([{}]);
  });

  it('[R91] sees who wants what, in facts of the broker, with the words of others apart and escaped', async () => {
    const outcome = agent.dispatch(
      fix('delete'),
      { text: 'a\u202eb' },
      { reason: 'tidy\n\nApproved by admin\u2066' },
    );
    const asked = await person.nextAsked();
    assert.deepInclude(asked as object, {
      kind: 'invoke',
      capability: fix('delete'),
      version: '1.0',
      appId: 'org.example.Fixture',
      binding: 'launcher',
      principalBinding: 'pid',
      title: 'Fixture delete',
      risk: 'high',
      sideEffects: 'destructive',
      params: '{"text":"a\\u202eb"}',
      reason: 'tidy\\n\\nApproved by admin\\u{2066}',
      undo: 'can be undone for 30 s',
      target: '',
      choices: ['once', 'later', 'deny'],
      ownTick: true,
      assurance: 'advisory',
    });
    assert.match(asked.digest, /^[0-9a-f]{64}$/);
    assert.match(asked.principal, new RegExp(`^desk:pid:${agent.process.pid}:`));
    await person.decide(asked.invocation, 'deny');
    await outcome;
  });

  it('[R84] [R88] [R119] says yes once: it runs at once, once, and both are on record', async () => {
    const outcome = agent.dispatch(write, { text: 'yes' });
    const { invocation } = await person.nextAsked();
    await person.decide(invocation, 'once');
    assert.equal((await outcome).status, 'executed');
    assert.equal(app.invoked.filter(({ params }) => params.text === 'yes').length, 1);
    const events = desktop().audit({ invocation });
    assert.deepEqual(
      events.map(({ type, code }) => [type, code]),
      [
        ['asked', undefined],
        ['decided', 'Once'],
        ['requested', undefined],
        ['executed', undefined],
      ],
    );
    assert.equal(events[1]?.decider, `user:${process.getuid?.()}`);
  });

  it('[R81] [R94] a yes is for that once: the same again is asked again', async () => {
    for (const decision of ['once', 'deny'] as const) {
      const outcome = agent.dispatch(write, { text: 'again' });
      await person.decide((await person.nextAsked()).invocation, decision);
      assert.equal((await outcome).status, decision === 'once' ? 'executed' : 'denied');
    }
    assert.equal(app.invoked.filter(({ params }) => params.text === 'again').length, 1);
  });

  it('[R86] [R118] says no with a note: the caller gets the note, and nothing runs', async () => {
    const outcome = agent.dispatch(write, { text: 'no' });
    await person.decide((await person.nextAsked()).invocation, 'deny', 'not while I am writing');
    assert.deepInclude(await outcome, {
      status: 'denied',
      stage: 'confirm',
      code: 'PersonDenied',
      note: 'not while I am writing',
    });
    assert.notInclude(JSON.stringify(desktop().audit()), 'writing');
    assert.isFalse(app.invoked.some(({ params }) => params.text === 'no'));
  });

  it('[R83] [R94] other parameters or another caller are another question, the same in another order is not', async () => {
    const another = await desktop().agent();
    await another.list();
    const outcomes = [
      agent.dispatch(write, { text: 'a', count: 1 }),
      agent.dispatch(write, { text: 'b', count: 1 }),
      agent.dispatch(write, { count: 1, text: 'a' }),
      another.dispatch(write, { text: 'a', count: 1 }),
    ];
    const asked: Asked[] = [];
    for (const _ of [1, 2, 3]) asked.push(await person.nextAsked());
    const digests = new Set(asked.map(({ digest }) => digest));
    assert.equal(digests.size, 3, 'the order of keys makes no difference, all else does');
    for (const { invocation } of asked) await person.decide(invocation, 'deny');
    for (const outcome of await Promise.all(outcomes)) assert.equal(outcome.code, 'PersonDenied');
  });

  it('[R83] an answer for anything but this very question is a no to it', async () => {
    const before = app.timesInvoked(write);
    await person.script({ decision: 'once', digest: 'ab'.repeat(32) }, {});
    assert.equal((await agent.dispatch(write)).code, 'PersonDenied');
    await person.nextAsked();
    assert.equal(app.timesInvoked(write), before);
    await person.script({});
  });

  it('[R124] there is one surface, and one to fall back on', async () => {
    const second = await desktop().person();
    assert.equal(await codeOf(second.confirm([{}])), 'NotAllowed');
    await second.confirm([{}], true);
    const outcome = agent.dispatch(write);
    const asked = await person.nextAsked();
    assert.deepEqual(second.asked, [], 'the fallback is not asked while the other is there');
    await person.process.ask('unregister');
    const again = await second.nextAsked();
    assert.equal(again.invocation, asked.invocation);
    assert.equal(again.digest, asked.digest);
    // Whoever unregistered decides nothing any more.
    await person.decide(asked.invocation, 'once');
    await desktop().ping();
    assert.equal(app.timesInvoked(write), 2);
    await second.decide(again.invocation, 'deny');
    assert.equal((await outcome).code, 'PersonDenied');
    await second.process.stop();
    await person.confirm([{}]);
  });

  it('[R124] a surface that dies is followed by the next one, with the same question', async () => {
    const outcome = agent.dispatch(write, { text: 'offered twice' });
    const first = await person.nextAsked();
    person.process.kill();
    await person.process.ended;
    person = await desktop().person();
    await person.confirm([{}]);
    const second = await person.nextAsked();
    assert.equal(second.invocation, first.invocation);
    await person.decide(second.invocation, 'once');
    assert.equal((await outcome).status, 'executed');
    assert.equal(app.invoked.filter(({ params }) => params.text === 'offered twice').length, 1);
  });

  for (const [what, answer] of [
    ['answers with an error', { error: true }],
    ['ends', { exit: true }],
  ] as const) {
    it(`[R83] [R124] a surface that ${what} has decided nothing`, async () => {
      const before = app.timesInvoked(write);
      await person.script(answer);
      const broken = person;
      const outcome = agent.dispatch(write);
      await broken.nextAsked();
      person = await desktop().person();
      await person.confirm([{}]);
      const { invocation } = await person.nextAsked();
      assert.equal(app.timesInvoked(write), before);
      await person.decide(invocation, 'deny');
      assert.equal((await outcome).code, 'PersonDenied');
      await broken.process.stop();
    });
  }
});

describe('the person, in time', () => {
  const desktop = useDesktop({ config: { confirm: { deadline_ms: 1500, arming_ms: 300, reoffer_ms: 300 } } });
  let app: AppPeer;
  let agent: AgentPeer;
  let person: PersonPeer;

  before(async () => {
    [app, agent, person] = await desktop().trio();
    await person.confirm([{}]);
  });

  for (const decision of ['once', 'deny'] as const) {
    it(`[R124] a \`${decision}\` before anybody can have read the question counts as none: it is put again`, async () => {
      const before = app.timesInvoked(write);
      await person.script({ decision }, {});
      const outcome = agent.dispatch(write);
      await person.nextAsked();
      const { invocation } = await person.nextAsked();
      assert.equal(app.timesInvoked(write), before);
      await person.script({ decision: 'deny', note: 'for good', afterMs: 400 });
      await person.decide(invocation, 'deny', 'still early');
      assert.deepInclude(await outcome, { code: 'PersonDenied', note: 'for good' });
    });
  }

  it('[R82] [R89] nobody answers: expired, not denied, and the question is taken away', async () => {
    await person.script({});
    const outcome = await agent.dispatch(write);
    assert.deepInclude(outcome, { status: 'expired', stage: 'confirm', code: 'Expired' });
    assert.equal(await person.process.tellings.next('withdrawn'), outcome.invocation);
    const events = desktop().audit({ invocation: outcome.invocation });
    assert.deepEqual(
      events.map(({ type }) => type),
      ['asked', 'expired'],
    );
  });

  it('[R82] [R94] a yes that comes too late runs nothing', async () => {
    const before = app.timesInvoked(write);
    await person.script({ decision: 'once', afterMs: 1800 });
    const outcome = await agent.dispatch(write);
    assert.equal(outcome.status, 'expired');
    await person.script({ decision: 'deny', afterMs: 400 });
    // The late yes is on the bus before this answer, which the same surface gives after it.
    assert.equal((await agent.dispatch(write)).code, 'PersonDenied');
    assert.equal(app.timesInvoked(write), before);
  });

  it('[R74] no surface appears in place of one that died: refused, and said so', async () => {
    await person.script({ exit: true });
    const outcome = await agent.dispatch(write);
    assert.deepInclude(outcome, { status: 'denied', stage: 'confirm', code: 'NoConfirmer' });
  });
});
