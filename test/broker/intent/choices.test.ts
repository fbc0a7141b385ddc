// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { variant } from '../../../dbus/values.ts';
import { parseRule } from '../../../policy/rule.ts';
import { RuleSet } from '../../../policy/rule-set.ts';
import { code, ONCE, only, PERSON, settle, useList, waiting, write } from './approving.ts';
import { CAPABILITIES, id } from './fixture-app.ts';
import { decision, success } from './scripted-bus.ts';
import { type Desk, done, POLICY_LIMITS, type Ran, refused, useDesk } from './world.ts';

const rules = (...given: readonly Readonly<Record<string, unknown>>[]): RuleSet =>
  RuleSet.of(
    given.map((rule, index) =>
      parseRule(
        { reason: 'a test', ...rule },
        { id: `root:test:${index}`, source: 'root', mayAllow: true },
        POLICY_LIMITS,
      ),
    ),
    [],
  );

describe('[R85] an answer for the session', () => {
  const list = useList();

  /** Asks for a write, has the person answer for the session, and lets it run. */
  const forTheSession = async (desk: Desk, minutes?: number): Promise<Ran> => {
    const running = write(desk);
    const row = await only(desk);
    await desk.approvals.approve(row.id, row.digest, { choice: 'session', minutes }, PERSON);
    const ran = await running;
    done(ran);
    return ran;
  };
  /** Whether it waits for a person; what waits is denied. */
  const asks = async (desk: Desk, running: Promise<Ran>): Promise<boolean> => {
    const [row] = await waiting(desk);
    if (row !== undefined) await desk.approvals.deny(row.id, { session: false }, PERSON);
    const { outcome } = await running;
    assert.equal(outcome.status, row === undefined ? 'executed' : 'denied', JSON.stringify(outcome));
    return row !== undefined;
  };

  it('B29 the same capability on the same literal target, from this connection, is not asked about again', async () => {
    const { desk } = list;
    const first = await forTheSession(desk);
    assert.equal(first.events.find(({ type }) => type === 'decided')?.code, 'Session');
    const again = write(desk);
    assert.isFalse(await asks(desk, again));
    const { events } = await again;
    assert.deepEqual(
      events.map(({ type, effect, grant, decider }) => [type, effect, grant, decider]),
      [
        ['requested', 'ask', 'session', 'grant:session'],
        ['executed', undefined, 'session', 'grant:session'],
      ],
    );
  });

  it('B29 everything else asks: another target, capability, caller, label, or the taking back of it', async () => {
    const { desk } = list;
    const { invocation } = await forTheSession(desk);
    assert.isTrue(await asks(desk, write(desk, '/tmp/b')), 'another target');
    assert.isTrue(await asks(desk, write(desk, '/tmp/a/b')), 'below the target');
    assert.isTrue(await asks(desk, write(desk, '/tmp/*')), 'a pattern is a name like any other');
    assert.isTrue(await asks(desk, desk.dispatch(id('writes'), { paths: ['/tmp/a'] })), 'another capability');
    assert.isTrue(await asks(desk, write(desk, '/tmp/a', {}, { connection: ':1.8' })), 'another connection');
    const other = { principal: { id: 'other', name: 'other' } };
    assert.isTrue(await asks(desk, write(desk, '/tmp/a', {}, other)), 'another principal');
    assert.isTrue(await asks(desk, write(desk, '/tmp/a', { session: 's2' })), 'another session label');
    assert.isTrue(
      await asks(desk, write(desk, '/tmp/a', { requireApproval: true })),
      'whoever wants to be asked',
    );
    assert.isFalse(await asks(desk, write(desk)), 'and it still holds');
    assert.isNotEmpty(invocation);
  });

  it('B29 until its time is over: an hour, or what the person said', async () => {
    const { desk } = list;
    await forTheSession(desk);
    desk.clock.ms += 3_599_999;
    assert.isFalse(await asks(desk, write(desk)));
    desk.clock.ms += 1;
    assert.isTrue(await asks(desk, write(desk)));
    await forTheSession(desk, 1);
    desk.clock.ms += 60_000;
    assert.isTrue(await asks(desk, write(desk)));
  });

  it('B29 until the connection ends', async () => {
    const { desk } = list;
    await forTheSession(desk);
    desk.ledger.endSession(':1.7');
    assert.isTrue(await asks(desk, write(desk)));
  });

  it('a literal target with marks of a pattern in it is still one target', async () => {
    const { desk } = list;
    const running = write(desk, '/tmp/{a,b}*\\?');
    const row = await only(desk);
    await desk.approvals.approve(row.id, row.digest, { choice: 'session' }, PERSON);
    done(await running);
    assert.isFalse(await asks(desk, write(desk, '/tmp/{a,b}*\\?')));
    assert.isTrue(await asks(desk, write(desk, '/tmp/a')));
  });

  it('a denial outranks it', async () => {
    const { desk } = list;
    await forTheSession(desk);
    desk.rules = rules({ capability: id('write'), effect: 'DENY' });
    refused(await write(desk), 'policy', 'PolicyDenied');
  });

  it("answers where the administrator's rule asks, and not for a changed definition", async () => {
    const { desk } = list;
    await forTheSession(desk);
    desk.rules = rules({ capability: id('write'), effect: 'ASK' });
    assert.isFalse(await asks(desk, write(desk)));
    const changed = CAPABILITIES.map((one) => (one.id === id('write') ? { ...one, name: 'Another' } : one));
    desk.offer({ capabilities: changed });
    assert.isTrue(await asks(desk, write(desk)));
  });

  const offers: readonly [
    what: string,
    action: string,
    params: unknown,
    session: boolean,
    setUp?: (desk: Desk) => void,
  ][] = [
    ['a write on one target', 'write', { path: '/tmp/a' }, true],
    ['what has no target', 'silent', {}, false],
    ['several targets', 'writes', { paths: ['/tmp/a', '/tmp/b'] }, false],
    ['what always confirms', 'send', { url: 'https://example.org/' }, false],
    ['an unbound provider', 'write', { path: '/tmp/a' }, false, (desk) => desk.offer({ binding: 'unbound' })],
    [
      'the strict profile',
      'write',
      { path: '/tmp/a' },
      false,
      (desk) => desk.configure({ profile: 'strict' }),
    ],
  ];
  for (const [what, action, params, session, setUp] of offers) {
    it(`is offered where it has an effect: ${what}: ${session}`, async () => {
      const { desk } = list;
      setUp?.(desk);
      const running = desk.dispatch(id(action), params);
      const row = await only(desk);
      assert.equal(row.choices.includes('session'), session);
      const answer = desk.approvals.approve(row.id, row.digest, { choice: 'session' }, PERSON);
      assert.equal(await code(answer), session ? 'ok' : 'NotAllowed');
      if (!session) await desk.approvals.deny(row.id, { session: false }, PERSON);
      await running;
    });
  }
});

describe('[R87] an answer with changes', () => {
  const list = useList();

  it('B25 what is invalid, unknown, denied or aims elsewhere is refused, and the question stays', async () => {
    const { desk } = list;
    const running = write(desk);
    const row = await only(desk);
    desk.rules = rules({ capability: id('write'), target: '/etc/**', effect: 'DENY' });
    const attempts: readonly [params: string, reason: string][] = [
      ['{"path":5}', 'InvalidParams'],
      ['{"path":"/tmp/a","x":1}', 'InvalidParams'],
      ['{"path":"/etc/shadow"}', 'PolicyDenied'],
      [`{"path":"/tmp/a","capability":"${id('erase')}"}`, 'InvalidParams'],
      ['{"path":"/tmp/b"}', 'TargetMismatch'],
      ['{"path":"/tmp/../etc/shadow"}', 'TargetInvalid'],
      ['{}', 'PolicyDenied'],
      ['{"path":"/tmp/a","path":"/tmp/a"}', 'InvalidParams'],
      ['not json', 'InvalidParams'],
    ];
    for (const [params, reason] of attempts) {
      const refusal = await desk.approvals
        .approve(row.id, row.digest, { ...ONCE, params }, PERSON)
        .catch((error: unknown) => error);
      assert.deepInclude(refusal, { code: 'InvalidParams' }, params);
      assert.include(String(refusal), `(${reason})`, params);
      assert.deepEqual(await only(desk), row, 'as it was');
      assert.isEmpty(desk.bus.ran);
    }
    await desk.approvals.deny(row.id, { session: false }, PERSON);
    refused(await running, 'confirm', 'PersonDenied');
  });

  it('B25 a valid change that keeps the target runs once, under its own hash; the record keeps both', async () => {
    const { desk } = list;
    const running = write(desk);
    const row = await only(desk);
    const params = ' {"paths":["/tmp/a"], "path":"/tmp/a"} ';
    await desk.approvals.approve(row.id, row.digest, { ...ONCE, params }, PERSON);
    const ran = await running;
    done(ran);
    assert.deepEqual(
      desk.bus.ran.map(({ body }) => body?.[2]),
      ['{"path":"/tmp/a","paths":["/tmp/a"]}'],
    );
    const by = (type: string) => ran.events.find((event) => event.type === type);
    const { commitment } = by('requested') ?? {};
    assert.notEqual(commitment, row.digest);
    assert.deepInclude(by('decided') ?? {}, {
      code: 'Modified',
      commitment,
      replaced: row.digest,
      decider: PERSON,
    });
    assert.equal(by('executed')?.commitment, commitment);
    assert.deepEqual([by('asked')?.effect, by('requested')?.effect], ['ask', 'ask'], 'a decision for each');
    for (const digest of [row.digest, commitment ?? '']) {
      assert.equal(await code(desk.approvals.approve(row.id, digest, ONCE, PERSON)), 'Stale');
    }
    const again = write(desk);
    const asked = await only(desk);
    assert.equal(asked.digest, row.digest, 'the original is asked about afresh');
    assert.equal(asked.earlier[0]?.decision, 'modified');
    await desk.approvals.deny(asked.id, { session: false }, PERSON);
    refused(await again, 'confirm', 'PersonDenied');
  });

  it('for the session as well', async () => {
    const { desk } = list;
    const running = write(desk);
    const row = await only(desk);
    const verdict = { choice: 'session', params: '{"path":"/tmp/a","paths":[]}' } as const;
    await desk.approvals.approve(row.id, row.digest, verdict, PERSON);
    const ran = await running;
    assert.equal(ran.events.find(({ type }) => type === 'decided')?.code, 'ModifiedSession');
    done(await write(desk));
  });

  it('an undo is answered once or not at all', async () => {
    const { desk } = list;
    desk.bus.app = () => success({}, { undo_token: 't' });
    const running = write(desk);
    const row = await only(desk);
    await desk.approvals.approve(row.id, row.digest, ONCE, PERSON);
    const { invocation } = await running;
    const undoing = desk.undo(invocation);
    const undo = await only(desk);
    assert.deepEqual([undo.kind, undo.choices], ['undo', ['once', 'later', 'deny']]);
    for (const verdict of [{ ...ONCE, params: '{}' }, { choice: 'session' } as const]) {
      assert.equal(await code(desk.approvals.approve(undo.id, undo.digest, verdict, PERSON)), 'NotAllowed');
    }
    await desk.approvals.approve(undo.id, undo.digest, ONCE, PERSON);
    done(await undoing);
  });
});

describe('[R87] an answer with changes, on the screen', () => {
  const its = useDesk();

  it('a refused one is put again with the reason, and the next answer counts', async () => {
    const { desk } = its;
    desk.bus.person = (asked) => {
      if (desk.bus.asked.length > 1) return desk.bus.once(asked);
      desk.clock.ms += 1000;
      return decision(asked.digest, { decision: 'modified', params: '{"path":"/tmp/b"}' });
    };
    done(await write(desk));
    const [first, second] = desk.bus.asked;
    assert.equal(first?.item.get('problem'), '');
    assert.include(String(second?.item.get('problem')), '(TargetMismatch)');
    assert.equal(first?.digest, second?.digest);
  });

  it('is not offered where the surface cannot', async () => {
    const { desk } = its;
    desk.confirm({ canModify: false });
    done(await write(desk));
    assert.notInclude(Object(desk.bus.asked[0]?.item.get('choices')), 'modified');
  });

  it('[R85] a session of so many minutes', async () => {
    const { desk } = its;
    desk.bus.person = ({ digest }) => {
      desk.clock.ms += 1000;
      return decision(digest, { decision: 'session', minutes: variant('u', 2) });
    };
    done(await write(desk));
    desk.clock.ms += 119_000;
    done(await write(desk));
    assert.lengthOf(desk.bus.asked, 1);
    desk.clock.ms += 1000;
    done(await write(desk));
    assert.lengthOf(desk.bus.asked, 2);
  });
});

describe('later, and more time', () => {
  const list = useList();

  it('[R89] later: off the screen and in the list for a day', async () => {
    const { desk } = list;
    desk.confirm();
    desk.bus.person = ({ digest }) => {
      desk.clock.ms += 1000;
      return decision(digest, { decision: 'later' });
    };
    const running = write(desk);
    const row = await only(desk);
    assert.equal(row.state, 'later');
    assert.equal(row.expires_at, desk.clock.ms + 86_400_000);
    assert.lengthOf(desk.bus.asked, 1);
    desk.confirmers.remove(':1.90');
    desk.approvals.connectionGone(':1.80');
    desk.clock.ms += 86_399_999;
    desk.approvals.sweep();
    await desk.approvals.approve(row.id, row.digest, ONCE, PERSON);
    const ran = await running;
    done(ran);
    assert.deepEqual(
      ran.events.filter(({ type }) => type === 'decided').map(({ code, decider }) => [code, decider]),
      [
        ['Later', 'desk'],
        ['Once', PERSON],
      ],
    );
  });

  it('[R89] and then it expires', async () => {
    const { desk } = list;
    const running = write(desk);
    const row = await only(desk);
    await desk.approvals.later(row.id, PERSON);
    desk.clock.ms += 86_400_000;
    desk.approvals.sweep();
    refused(await running, 'confirm', 'Expired');
  });

  it('more time, up to a day in all; what was put off gets a day again', async () => {
    const { desk } = list;
    const running = write(desk);
    const row = await only(desk);
    await desk.approvals.extend(row.id, PERSON);
    assert.equal((await only(desk)).expires_at, row.expires_at + 120_000);
    await Promise.all(Array.from({ length: 800 }, () => desk.approvals.extend(row.id, PERSON)));
    assert.equal((await only(desk)).expires_at, row.since + 86_400_000);
    desk.clock.ms += 1000;
    await desk.approvals.later(row.id, PERSON);
    desk.clock.ms += 5000;
    await desk.approvals.extend(row.id, PERSON);
    const put = await only(desk);
    assert.deepEqual([put.state, put.expires_at], ['later', desk.clock.ms + 86_400_000]);
    await desk.approvals.deny(row.id, { session: false }, PERSON);
    await running;
  });

  it('more time while it is on the screen: it is put again with its new deadline', async () => {
    const { desk } = list;
    const { promise: ready, resolve } = Promise.withResolvers<void>();
    desk.confirm();
    desk.bus.person = async (asked) => {
      if (desk.bus.asked.length > 1) return desk.bus.once(asked);
      await ready;
      return desk.bus.once(asked);
    };
    const running = write(desk);
    const row = await only(desk);
    await desk.approvals.extend(row.id, PERSON);
    resolve();
    done(await running);
    assert.deepEqual(
      desk.bus.asked.map(({ context }) => context.get('deadline_ms')),
      [120_000, 239_000],
    );
  });
});

describe('denied for as long as the caller is connected', () => {
  const list = useList();

  it('the same capability on the same target is not asked about again, from this connection', async () => {
    const { desk } = list;
    const running = [write(desk), desk.dispatch(id('write'), { path: '/tmp/a', paths: [] })];
    const [row, ...others] = await waiting(desk);
    assert.lengthOf(others, 1, 'the same target with other parameters waits too');
    await desk.approvals.deny(row?.id ?? '', { note: 'never', session: true }, PERSON);
    const [first, second] = await Promise.all(running);
    assert.equal(first?.outcome.note, 'never');
    assert.equal(first?.events.find(({ type }) => type === 'decided')?.code, 'DenySession');
    if (second !== undefined) refused(second, 'confirm', 'Void');
    refused(await write(desk), 'policy', 'PersonDenied');
    const others2 = [
      write(desk, '/tmp/b'),
      desk.dispatch(id('erase'), {}),
      write(desk, '/tmp/a', {}, { connection: ':1.8' }),
    ];
    const rows = await waiting(desk);
    assert.lengthOf(rows, 3, 'everything else asks');
    for (const each of rows) await desk.approvals.deny(each.id, { session: false }, PERSON);
    await Promise.all(others2);
    desk.approvals.connectionGone(':1.7');
    desk.approvals.watch(':1.80');
    const again = write(desk);
    await desk.approvals.deny((await only(desk)).id, { session: false }, PERSON);
    await again;
  });

  it('adding a target is no way round', async () => {
    const { desk } = list;
    const ask = (...paths: readonly string[]) => desk.dispatch(id('writes'), { path: '/tmp/x', paths });
    const running = ask('/tmp/a');
    await settle();
    const [row] = await waiting(desk);
    await desk.approvals.deny(row?.id ?? '', { session: true }, PERSON);
    await running;
    refused(await ask('/tmp/b', '/tmp/a'), 'policy', 'PersonDenied');
  });

  it('is not offered where nobody knows the target', async () => {
    const { desk } = list;
    const running = desk.dispatch(id('silent'), {});
    const row = await only(desk);
    assert.deepEqual(row.choices, ['once', 'modified', 'later', 'deny']);
    assert.equal(await code(desk.approvals.deny(row.id, { session: true }, PERSON)), 'NotAllowed');
    await desk.approvals.deny(row.id, { session: false }, PERSON);
    await running;
  });
});
