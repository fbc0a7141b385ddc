// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import type { PendingRow } from '../../../broker/approval/listed.ts';
import { code, ONCE, only, PERSON, settle, useList, waiting, write } from './approving.ts';
import { id } from './fixture-app.ts';
import { success } from './scripted-bus.ts';
import { done, ends, refused } from './world.ts';

describe('the list of what waits', () => {
  const list = useList();

  it('[R92] [R88] an operator approves from it: it runs at once, and the record says who decided what', async () => {
    const { desk } = list;
    const running = write(desk, '/tmp/a\u202e', {
      reason: 'b\u202ecause',
      evidence: ['e'],
      intention: 'tidy',
    });
    const row = await only(desk);
    assert.deepInclude(row, {
      id: row.invocation,
      state: 'pending',
      kind: 'invoke',
      capability: id('write'),
      principal: 'agent',
      risk: 'medium',
      targets: ['/tmp/a\\u{202e}'],
      params: '{"path":"/tmp/a\\u202e"}',
      reason: 'b\\u{202e}cause',
      evidence: ['e'],
      intention: 'tidy',
      undo: 'can be undone for 30 s',
      earlier: [],
    });
    assert.equal(row.expires_at - row.since, 120_000);
    await desk.approvals.approve(row.id, row.digest, { ...ONCE, note: 'but be quick' }, PERSON);
    const ran = await running;
    assert.equal(done(ran).note, 'but be quick');
    assert.deepEqual(
      ran.events.map(({ type, code, decider, effect, rule }) => [type, code, decider, effect, rule]),
      [
        ['asked', undefined, undefined, 'ask', 'gate'],
        ['decided', 'Once', PERSON, undefined, undefined],
        ['requested', undefined, PERSON, undefined, undefined],
        ['executed', undefined, PERSON, undefined, undefined],
      ],
    );
    assert.notInclude(JSON.stringify(ran.events), 'quick');
  });

  it('[R92] shows what ended for an hour, without what its caller said', async () => {
    const { desk } = list;
    const running = write(desk, '/tmp/a', { reason: 'because' });
    const { id: row, digest } = await only(desk);
    await desk.approvals.approve(row, digest, ONCE, PERSON);
    await running;
    assert.isEmpty(desk.approvals.list({ ended: false }));
    const [ended, ...others] = desk.approvals.list({ ended: true });
    assert.isEmpty(others);
    assert.deepInclude(ended, { id: row, state: 'executed', decided_by: PERSON, choices: [] });
    for (const field of ['params', 'reason', 'evidence', 'targets', 'intention'])
      assert.notProperty(ended, field);
    desk.clock.ms += 3_600_001;
    assert.isEmpty(desk.approvals.list({ ended: true }));
  });

  it('[R120] keeps parameters and words on the disk while it waits, and not a moment longer', async () => {
    const { desk } = list;
    const running = write(desk, '/tmp/a', { reason: 'because' });
    const row = await only(desk);
    assert.include(desk.pendingFile.read(row.id), 'because');
    await desk.approvals.approve(row.id, row.digest, ONCE, PERSON);
    assert.isUndefined(desk.pendingFile.read(row.id));
    await running;
    const caller = new AbortController();
    const given = write(desk, '/tmp/b', {}, { signal: caller.signal });
    const { id: other } = await only(desk);
    caller.abort();
    await given;
    assert.isUndefined(desk.pendingFile.read(other));
  });

  it('[R119] shows what the person decided about the same before, newest first', async () => {
    const { desk } = list;
    for (const [index, decide] of [
      (row: PendingRow) => desk.approvals.approve(row.id, row.digest, ONCE, PERSON),
      (row: PendingRow) => desk.approvals.deny(row.id, { session: false }, PERSON),
    ].entries()) {
      const running = desk.dispatch(id('erase'), { name: String(index) });
      await decide(await only(desk));
      await running;
      desk.clock.ms += 1000;
    }
    const running = desk.dispatch(id('erase'), {});
    const row = await only(desk);
    assert.deepEqual(
      row.earlier.map(({ decision }) => decision),
      ['deny', 'once'],
    );
    await desk.approvals.deny(row.id, { session: false }, PERSON);
    await running;
  });

  it('[R86] denied with a note', async () => {
    const { desk } = list;
    const running = write(desk);
    const row = await only(desk);
    await desk.approvals.deny(row.id, { note: 'n'.repeat(2000), session: false }, PERSON);
    const ran = await running;
    assert.equal(refused(ran, 'confirm', 'PersonDenied').decider, PERSON);
    assert.equal(ran.outcome.note, 'n'.repeat(1000));
    assert.equal(desk.approvals.list({ ended: true })[0]?.state, 'denied');
  });

  it('an id that names nothing, and one that has ended', async () => {
    const { desk } = list;
    assert.equal(await code(desk.approvals.approve('nothing', 'x', ONCE, PERSON)), 'NotFound');
    const running = write(desk);
    const row = await only(desk);
    await desk.approvals.deny(row.id, { session: false }, PERSON);
    await running;
    for (const late of [
      desk.approvals.approve(row.id, row.digest, ONCE, PERSON),
      desk.approvals.deny(row.id, { session: false }, PERSON),
      desk.approvals.later(row.id, PERSON),
      desk.approvals.extend(row.id, PERSON),
    ]) {
      assert.equal(await code(late), 'Stale');
    }
  });

  it('[R83] [R94] an approval of another digest is none', async () => {
    const { desk } = list;
    const running = write(desk);
    const row = await only(desk);
    assert.equal(await code(desk.approvals.approve(row.id, '0'.repeat(64), ONCE, PERSON)), 'Stale');
    assert.lengthOf(await waiting(desk), 1);
    await desk.approvals.deny(row.id, { session: false }, PERSON);
    refused(await running, 'confirm', 'PersonDenied');
  });

  it('B21: a yes is for one invocation: another path, another capability, the same again and another caller ask', async () => {
    const { desk } = list;
    const first = write(desk);
    const row = await only(desk);
    await desk.approvals.approve(row.id, row.digest, ONCE, PERSON);
    done(await first);
    const later = [
      write(desk, '/tmp/b'),
      desk.dispatch(id('writes'), { path: '/tmp/a' }),
      write(desk),
      write(desk, '/tmp/a', {}, { connection: ':1.8' }),
    ];
    const rows = await waiting(desk);
    assert.lengthOf(rows, 4);
    assert.lengthOf(desk.bus.ran, 1);
    for (const each of rows) await desk.approvals.deny(each.id, { session: false }, PERSON);
    for (const ran of await Promise.all(later)) assert.equal(ran.outcome.code, 'PersonDenied');
  });

  it('[R89] what nobody answers expires when its time is over, once', async () => {
    const { desk } = list;
    const running = write(desk);
    const row = await only(desk);
    desk.clock.ms += 119_999;
    desk.approvals.sweep();
    assert.lengthOf(await waiting(desk), 1);
    desk.clock.ms += 1;
    desk.approvals.sweep();
    refused(await running, 'confirm', 'Expired');
    assert.equal(await code(desk.approvals.approve(row.id, row.digest, ONCE, PERSON)), 'Stale');
    assert.equal(desk.approvals.list({ ended: true })[0]?.state, 'expired');
  });

  it('[R90] the requester withdraws', async () => {
    const { desk } = list;
    const caller = new AbortController();
    const running = write(desk, '/tmp/a', {}, { signal: caller.signal });
    const row = await only(desk);
    caller.abort();
    refused(await running, 'confirm', 'Withdrawn');
    assert.equal(desk.approvals.list({ ended: true })[0]?.state, 'withdrawn');
    assert.equal(await code(desk.approvals.approve(row.id, row.digest, ONCE, PERSON)), 'Stale');
  });

  it('a person is asked only so much at once, by one caller and by all', async () => {
    const { desk } = list;
    const stop = new AbortController();
    const { signal } = stop;
    const ask = (name: string, principal: string) =>
      desk.dispatch(
        id('erase'),
        { name },
        {},
        { signal, connection: `:1.${principal.length}`, principal: { id: principal, name: principal } },
      );
    const open = ['a', 'b', 'c', 'd', 'e'].map((name) => ask(name, 'one'));
    await settle();
    refused(await ask('f', 'one'), 'confirm', 'LimitExceeded');
    open.push(...['a', 'b', 'c', 'd', 'e'].map((name) => ask(name, 'second')));
    open.push(...['a', 'b'].map((name) => ask(name, 'another')));
    await settle();
    refused(await ask('g', 'last'), 'confirm', 'LimitExceeded');
    stop.abort();
    for (const ran of await Promise.all(open)) assert.equal(ran.outcome.code, 'Withdrawn');
    assert.isEmpty(await waiting(desk), 'what is over counts no more');
  });

  it('tells of what appeared, changed and ended', async () => {
    const { desk } = list;
    const told: string[] = [];
    desk.approvals.onChange((ids) => told.push(...ids));
    const running = write(desk);
    const row = await only(desk);
    const upToNow = told.length;
    assert.isAtLeast(upToNow, 1);
    await desk.approvals.deny(row.id, { session: false }, PERSON);
    await running;
    assert.isAbove(told.length, upToNow);
    assert.deepEqual([...new Set(told)], [row.id]);
  });

  it('nobody watches any more and no surface is there: it is not asked for ever', async () => {
    const { desk } = list;
    const running = write(desk);
    await only(desk);
    desk.approvals.connectionGone(':1.80');
    refused(await running, 'confirm', 'NoConfirmer');
  });

  it('a surface appears while the list is watched: it is asked as well, and the first answer counts', async () => {
    const { desk } = list;
    const running = write(desk);
    await only(desk);
    desk.confirm();
    done(await running);
    assert.lengthOf(desk.bus.asked, 1);
  });
});

describe('what a person is shown', () => {
  const list = useList();

  it('B33 everything, in visible characters: facts of the broker, words of the app and words of the caller apart', async () => {
    const { desk } = list;
    const path = `/${'a/'.repeat(1000)}end\u200b`;
    const params = { path, paths: ['\u202e\u001b[2J'] };
    const reason = 'fine\n\nApproved by admin\u2066';
    const running = desk.dispatch(id('write'), params, { reason, evidence: ['\u001b]0;x\u0007'] });
    const row = await only(desk);
    assert.deepInclude(row, {
      capability: id('write'),
      app_id: 'org.example.Desk',
      title: 'The write of the desk',
      reason: 'fine\\n\\nApproved by admin\\u{2066}',
      evidence: ['\\u{1b}]0;x\\u{7}'],
    });
    assert.deepEqual(JSON.parse(row.params ?? ''), params, 'all of it, from the bytes that are hashed');
    assert.notMatch(JSON.stringify(row), /[\u0000-\u001f\u200b\u202e\u2066\u2067]/);
    assert.match(row.digest, /^[0-9a-f]{64}$/);
    await desk.approvals.deny(row.id, { session: false }, PERSON);
    await running;
  });

  it('B33 a path that climbs out of its own length is no target', async () => {
    const path = `/${'a/'.repeat(2000)}../../etc/shadow`;
    refused(await write(list.desk, path), 'target', 'TargetInvalid');
  });

  it('B26 nothing that a caller can send decides: it is a parameter that there is not', async () => {
    const { desk } = list;
    for (const more of [
      { approved: true },
      { confirmation_token: 'x' },
      { auth_level: 'system' },
      { caller: 'compositor' },
      { decider: PERSON },
    ]) {
      refused(await desk.dispatch(id('write'), { path: '/tmp/a', ...more }), 'validate', 'InvalidParams');
    }
    assert.isEmpty(await waiting(desk));
  });
});

describe('who comes first decides', () => {
  const list = useList();

  it('B22 [R115] of twenty approvals at once one counts, and it runs once', async () => {
    const { desk } = list;
    const running = write(desk);
    const row = await only(desk);
    const codes = await Promise.all(
      Array.from({ length: 20 }, () => code(desk.approvals.approve(row.id, row.digest, ONCE, PERSON))),
    );
    assert.deepEqual(codes.toSorted(), [...Array<string>(19).fill('Stale'), 'ok'].toSorted());
    const ran = await running;
    done(ran);
    assert.lengthOf(
      ran.events.filter(({ type }) => type === 'decided'),
      1,
    );
    for (const again of [
      desk.approvals.approve(row.id, row.digest, ONCE, PERSON),
      desk.approvals.approve(row.id, row.digest, { ...ONCE, params: '{}' }, PERSON),
      desk.approvals.deny(row.id, { session: false }, PERSON),
    ]) {
      assert.equal(await code(again), 'Stale');
    }
    assert.lengthOf(desk.bus.ran, 1);
  });

  it('B22 a yes that races a no: one outcome, and the record agrees with it', async () => {
    const { desk } = list;
    let ran = 0;
    for (let round = 0; round < 50; round += 1) {
      desk.clock.ms += 60_000;
      const running = write(desk);
      const row = await only(desk);
      const yes = () => code(desk.approvals.approve(row.id, row.digest, ONCE, PERSON));
      const no = () => code(desk.approvals.deny(row.id, { session: false }, PERSON));
      const codes = await Promise.all(round % 2 === 0 ? [yes(), no()] : [no(), yes()]);
      assert.deepEqual(codes.toSorted(), ['Stale', 'ok']);
      const { outcome, events } = await running;
      const decided = events.filter(({ type }) => type === 'decided').map((event) => event.code);
      assert.deepEqual(decided, [outcome.status === 'executed' ? 'Once' : 'Deny']);
      if (outcome.status === 'executed') ran += 1;
      assert.lengthOf(desk.bus.ran, ran);
    }
    assert.equal(ran, 25);
  });

  it('[R124] decided from the list while it is on the screen: it is taken off, and a late answer counts for nothing', async () => {
    const { desk } = list;
    const { promise: late, resolve } = Promise.withResolvers<void>();
    desk.confirm();
    desk.bus.person = async (asked) => {
      await late;
      return desk.bus.once(asked);
    };
    const running = write(desk);
    const row = await only(desk);
    await desk.approvals.deny(row.id, { session: false }, PERSON);
    resolve();
    refused(await running, 'confirm', 'PersonDenied');
    await settle();
    assert.isEmpty(desk.bus.ran);
  });

  it('the decision cannot be recorded: whoever decided hears it, and nothing runs', async () => {
    const { desk } = list;
    const { records } = list.its;
    desk.world.records = {
      append: (event, durability, within) =>
        event.type === 'decided'
          ? Promise.reject(new Error('no'))
          : records.append(event, durability, within),
    };
    const running = write(desk);
    const row = await only(desk);
    const heard = await desk.approvals.approve(row.id, row.digest, ONCE, PERSON).catch(String);
    assert.equal(heard, 'Error: no');
    refused(await running, 'confirm', 'Failed');
  });
});

describe('the same twice', () => {
  const list = useList();

  it('[R94] joins what waits: one question, one execution, and both hear how it ended', async () => {
    const { desk } = list;
    desk.bus.app = () => success({ text: 'once' });
    const both = [write(desk), write(desk)] as const;
    const row = await only(desk);
    await desk.approvals.approve(row.id, row.digest, ONCE, PERSON);
    const [first, second] = await Promise.all(both);
    assert.deepEqual(second.outcome, first.outcome);
    assert.equal(first.outcome.status, 'executed');
    assert.lengthOf(desk.bus.ran, 1);
    ends(first, 'executed', 'outcome');
    assert.deepEqual(
      second.events.map(({ type, code, stage }) => [type, code, stage]),
      [
        ['asked', 'Joined', 'confirm'],
        ['joined', undefined, 'confirm'],
      ],
    );
    assert.equal(second.events.at(-1)?.commitment, first.events.at(-1)?.commitment);
  });

  it('joins nothing of another connection, of another intention, or that is decided already', async () => {
    const { desk } = list;
    const open = [
      write(desk),
      write(desk, '/tmp/a', {}, { connection: ':1.8' }),
      write(desk, '/tmp/a', { intention: 'tidy' }),
    ];
    const rows = await waiting(desk);
    assert.lengthOf(rows, 3);
    for (const { id: row } of rows) await desk.approvals.deny(row, { session: false }, PERSON);
    open.push(write(desk));
    const again = await only(desk);
    await desk.approvals.deny(again.id, { session: false }, PERSON);
    await Promise.all(open);
  });

  it('whoever asked first gives up: the other is asked about in its own name', async () => {
    const { desk } = list;
    const caller = new AbortController();
    const first = write(desk, '/tmp/a', {}, { signal: caller.signal });
    await settle();
    const second = write(desk);
    const before = await only(desk);
    caller.abort();
    refused(await first, 'confirm', 'Withdrawn');
    const after = await only(desk);
    assert.notEqual(after.id, before.id);
    await desk.approvals.approve(after.id, after.digest, ONCE, PERSON);
    done(await second);
  });

  it('that it joined cannot be recorded as an ending: it hears the outcome all the same', async () => {
    const { desk } = list;
    const { records } = list.its;
    desk.world.records = {
      append: (event, durability, within) =>
        event.type === 'joined' ? Promise.reject(new Error('no')) : records.append(event, durability, within),
    };
    const both = [write(desk), write(desk)] as const;
    const row = await only(desk);
    await desk.approvals.approve(row.id, row.digest, ONCE, PERSON);
    const [first, second] = await Promise.all(both);
    assert.deepEqual(second.outcome, first.outcome);
    assert.lengthOf(desk.faults, 1);
  });

  it('whoever joined gives up alone', async () => {
    const { desk } = list;
    const caller = new AbortController();
    const first = write(desk);
    await settle();
    const second = write(desk, '/tmp/a', {}, { signal: caller.signal });
    await settle();
    caller.abort();
    refused(await second, 'confirm', 'Withdrawn');
    const row = await only(desk);
    await desk.approvals.approve(row.id, row.digest, ONCE, PERSON);
    done(await first);
  });
});
