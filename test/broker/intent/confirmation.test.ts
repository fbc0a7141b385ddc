// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { variant } from '../../../dbus/values.ts';
import { id } from './fixture-app.ts';
import { aborted, decision, gone, received, reply, untilAborted } from './scripted-bus.ts';
import { type Desk, done, refused, useDesk } from './world.ts';

describe('what a person is asked', () => {
  const its = useDesk();
  const asks = async (action: string, more = {}): Promise<number> => {
    const { desk } = its;
    done(
      await desk.dispatch(action.includes('.') ? action : id(action), {}, more, {
        principal: { level: 'system' },
      }),
    );
    return desk.bus.asked.length;
  };

  for (const action of ['read', 'look']) {
    it(`[R23] [R80] ${action}: what only reads here runs without asking`, async () => {
      assert.equal(await asks(action), 0);
    });
  }
  for (const action of ['write', 'erase', 'send', 'tune', 'silent', 'confirmed', 'floored', 'fetch']) {
    it(`[R24] [R25] [R34] [R40] [R67] [R79] [R80] ${action}: a person answers first`, async () => {
      assert.equal(await asks(action), 1);
    });
  }

  it('[R81] asks afresh each time: a yes is for one invocation', async () => {
    for (const times of [1, 2, 3]) assert.equal(await asks('write'), times);
  });

  it('[R110] a caller can have a person look at anything', async () => {
    assert.equal(await asks('read', { requireApproval: true }), 1);
  });

  it('[R80] [R81] the strict profile leaves only what reads here', async () => {
    its.desk.configure({ profile: 'strict' });
    assert.equal(await asks('read'), 0);
    assert.equal(await asks('floored'), 1);
    const { item } = its.desk.bus.asked[0] ?? {};
    assert.deepEqual([item?.get('risk'), item?.get('undo')], ['low', 'cannot be undone']);
  });

  it('a provider that nothing vouches for is asked about, its reads too', async () => {
    its.desk.offer({ binding: 'unbound' });
    assert.equal(await asks('read'), 1);
    assert.equal(its.desk.bus.asked[0]?.item.get('binding'), 'unbound');
  });

  it('an unsigned provider reads without asking where something vouches for it, and writes never', async () => {
    its.desk.offer({ unsigned: true });
    assert.equal(await asks('read'), 0);
    assert.equal(await asks('write'), 1);
  });

  it('an unsigned provider that nothing vouches for is no better than an unbound one', async () => {
    its.desk.offer({ unsigned: true, binding: 'unbound' });
    assert.equal(await asks('read'), 1);
  });

  it("a capability of the broker's own that is about an app is known no better than that app", async () => {
    const about = (app: string) => its.desk.dispatch('test.about', { app });
    assert.equal((await about('org.example.Desk')).outcome.status, 'executed');
    assert.lengthOf(its.desk.bus.asked, 0);
    its.desk.offer({ binding: 'unbound' });
    assert.equal((await about('org.example.Desk')).outcome.status, 'executed');
    assert.equal((await about('org.example.Absent')).outcome.status, 'executed');
    assert.lengthOf(its.desk.bus.asked, 2);
  });

  it('[R83] [R92] shows what would run, from the very bytes that are sent', async () => {
    const params = '{ "path": "/tmp/\u202Eexe.txt\\n" }';
    done(await its.desk.dispatch(id('write'), params, { reason: 'because\nApproved by admin' }));
    const [asked] = its.desk.bus.asked;
    const item = Object.fromEntries(asked?.item ?? []);
    const [sent] = its.desk.bus.ran;
    assert.equal(sent?.body?.[2], '{"path":"/tmp/\u202Eexe.txt\\n"}');
    assert.deepInclude(item, {
      capability: id('write'),
      version: '1.0',
      kind: 'invoke',
      app_id: 'org.example.Desk',
      title: 'The write of the desk',
      principal: 'agent',
      principal_binding: 'uid',
      binding: 'sandbox',
      risk: 'medium',
      side_effects: 'write',
      own_tick: false,
      intention: '',
      problem: '',
      params: '{"path":"/tmp/\\u202eexe.txt\\n"}',
      target: '/tmp/\\u{202e}exe.txt\\n',
      reason: 'because\\nApproved by admin',
      undo: 'can be undone for 30 s',
    });
    assert.deepEqual(item.choices, ['once', 'session', 'modified', 'later', 'deny', 'deny_session']);
    assert.deepEqual(Object.fromEntries(asked?.context ?? []), {
      locale: 'en_GB',
      deadline_ms: 120_000,
      arming_ms: 500,
      assurance: 'enforced',
    });
  });
});

describe('what a person answers', () => {
  const its = useDesk();
  const write = (desk: Desk, as = {}) => desk.dispatch(id('write'), { path: '/tmp/a' }, {}, as);

  it('[R88] [R116] yes: it runs at once and the record says who decided', async () => {
    const ran = await write(its.desk);
    done(ran);
    assert.deepEqual(
      ran.events.map(({ type, code, decider, rule }) => [type, code, decider, rule]),
      [
        ['asked', undefined, undefined, 'gate'],
        ['decided', 'Once', 'desk', undefined],
        ['requested', undefined, 'desk', undefined],
        ['executed', undefined, 'desk', undefined],
      ],
    );
  });

  it('[R86] no, with a note: the caller reads the note, the record does not hold it', async () => {
    its.desk.bus.person = (asked) => its.desk.bus.deny(asked, 'not while I work on it');
    const ran = await write(its.desk);
    const event = refused(ran, 'confirm', 'PersonDenied');
    assert.equal(ran.outcome.note, 'not while I work on it');
    assert.equal(event.decider, 'desk');
    assert.notInclude(JSON.stringify(ran.events), 'while I work');
  });

  it('[R86] no, without a note', async () => {
    its.desk.bus.person = (asked) => its.desk.bus.deny(asked, '');
    const ran = await write(its.desk);
    refused(ran, 'confirm', 'PersonDenied');
    assert.notProperty(ran.outcome, 'note');
  });

  it('[R82] nothing: it expires, is not asked again, and is not called denied', async () => {
    its.desk.bus.person = ({ call }) => its.desk.bus.never(call);
    const ran = await write(its.desk);
    refused(ran, 'confirm', 'Expired');
    assert.deepEqual(its.desk.bus.members(), ['Confirm', 'Withdraw']);
    assert.isFalse(ran.events.some(({ type }) => type === 'decided'));
  });

  it('withdrawn by the caller while the person reads', async () => {
    const caller = new AbortController();
    its.desk.bus.person = ({ call }) => {
      setImmediate(() => caller.abort());
      return untilAborted(call);
    };
    refused(await write(its.desk, { signal: caller.signal }), 'confirm', 'Withdrawn');
    assert.deepEqual(its.desk.bus.members(), ['Confirm', 'Withdraw']);
  });

  it('withdrawn before anybody is asked', async () => {
    refused(await write(its.desk, { signal: AbortSignal.abort() }), 'confirm', 'Withdrawn');
    assert.deepEqual(its.desk.bus.members(), []);
  });

  it('[R90] withdrawn while a yes is on its way: nobody decided', async () => {
    const caller = new AbortController();
    its.desk.bus.person = (asked) => {
      caller.abort();
      return its.desk.bus.once(asked);
    };
    const ran = await write(its.desk, { signal: caller.signal });
    refused(ran, 'confirm', 'Withdrawn');
    assert.isFalse(ran.events.some(({ type }) => type === 'decided'));
  });

  it('[R90] withdrawn after the yes and before it runs', async () => {
    const caller = new AbortController();
    const { records } = its;
    its.desk.world.records = {
      append: (event, durability, within) => {
        if (event.type === 'decided') caller.abort();
        return records.append(event, durability, within);
      },
    };
    refused(await write(its.desk, { signal: caller.signal }), 'record', 'Withdrawn');
  });

  it('nobody is there to ask: refused at once', async () => {
    its.desk.confirmers.remove(':1.90');
    refused(await write(its.desk), 'confirm', 'NoConfirmer');
    assert.deepEqual(its.desk.bus.members(), []);
  });

  const noAnswers: readonly [what: string, answer: (digest: string) => unknown][] = [
    ['about something else', () => decision('0'.repeat(64), { decision: 'once' })],
    ['of a choice that there is not', (digest) => decision(digest, { decision: 'always' })],
    ['without a decision', (digest) => decision(digest, { note: 'fine' })],
    ['of a decision that is no text', (digest) => decision(digest, { decision: variant('b', true) })],
    ['for nothing', () => []],
    ['that is no dictionary', () => 'once'],
    ['of a text in place of the decision', (digest) => received({ [digest]: 'once' })],
    ['with two decisions', (digest) => [...both(digest), ...both(digest)]],
    ['with more arguments', (digest) => reply(decision(digest, { decision: 'once' }), 'x')],
  ];
  const both = (digest: string): unknown[] => {
    const one = decision(digest, { decision: 'once' });
    return Array.isArray(one) ? one : [];
  };
  for (const [what, answer] of noAnswers) {
    it(`[R67] an answer ${what} is a no`, async () => {
      its.desk.bus.person = ({ digest }) => {
        its.desk.clock.ms += 1000;
        return answer(digest);
      };
      refused(await write(its.desk), 'confirm', 'PersonDenied');
      assert.isDefined(its.desk.confirmers.current());
    });
  }

  it('[R67] an answer before anybody can have read the question is none, and a later one counts', async () => {
    its.desk.bus.person = (asked) => {
      if (its.desk.bus.asked.length > 1) return its.desk.bus.once(asked);
      its.desk.clock.ms += 499;
      return decision(asked.digest, { decision: 'once' });
    };
    const { ms } = its.desk.clock;
    done(await write(its.desk));
    assert.lengthOf(its.desk.bus.asked, 2);
    assert.equal(its.desk.clock.ms - ms, 500 + 1000);
  });

  it('[R67] a surface that always answers at once never confirms anything', async () => {
    its.desk.bus.person = ({ digest }) => decision(digest, { decision: 'once' });
    refused(await write(its.desk), 'confirm', 'Expired');
    assert.lengthOf(its.desk.bus.asked, 240);
  });

  it('[R124] the surface dies and the fallback takes over', async () => {
    its.desk.confirm({ connection: ':1.91', fallback: true, decider: 'terminal' });
    its.desk.bus.person = (asked) => {
      if (asked.at === ':1.90') throw gone();
      return its.desk.bus.once(asked);
    };
    const ran = await write(its.desk);
    done(ran);
    assert.equal(ran.events.find(({ type }) => type === 'decided')?.decider, 'terminal');
  });

  it('[R124] the surface dies and one that appears in time takes over', async () => {
    its.desk.bus.person = (asked) => {
      if (asked.at === ':1.90') throw gone();
      return its.desk.bus.once(asked);
    };
    its.desk.clock.sleep = () => {
      setImmediate(() => its.desk.confirm({ connection: ':1.92' }));
      return new Promise(() => undefined);
    };
    done(await write(its.desk));
    assert.deepEqual(
      its.desk.bus.asked.map(({ at }) => at),
      [':1.90', ':1.92'],
    );
  });

  it('[R124] the surface dies and none comes', async () => {
    its.desk.bus.person = () => {
      throw gone();
    };
    const { ms } = its.desk.clock;
    refused(await write(its.desk), 'confirm', 'NoConfirmer');
    assert.equal(its.desk.clock.ms - ms, 10_000);
  });

  it('the caller goes while none comes', async () => {
    const caller = new AbortController();
    its.desk.bus.person = () => {
      caller.abort();
      throw gone();
    };
    refused(await write(its.desk, { signal: caller.signal }), 'confirm', 'Withdrawn');
  });

  it('a fault of ours in the asking denies', async () => {
    its.desk.bus.person = () => {
      throw new TypeError('a fault');
    };
    refused(await write(its.desk), 'confirm', 'Failed');
    assert.lengthOf(its.desk.faults, 1);
  });

  it('the connection to the bus gives up the call: nobody is there to ask', async () => {
    its.desk.bus.person = () => {
      throw aborted();
    };
    refused(await write(its.desk), 'confirm', 'NoConfirmer');
  });
});
