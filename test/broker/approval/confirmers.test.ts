// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { type Confirmer, Confirmers } from '../../../broker/approval/confirmers.ts';
import type { Question } from '../../../broker/approval/question.ts';
import { DBusError, ERROR_NAME } from '../../../dbus/error.ts';
import { Clock, decision, gone, remote, ScriptedBus, untilAborted } from '../intent/scripted-bus.ts';

const QUESTION: Question = {
  invocation: 'i1',
  digest: 'd1',
  kind: 'invoke',
  capability: 'files.org.example.a',
  version: '1.0',
  title: 'A',
  appId: 'org.example',
  providerBinding: 'sandbox',
  principal: 'agent',
  principalName: 'agent',
  connection: ':1.7',
  principalBinding: 'uid',
  assurance: 'enforced',
  risk: 'medium',
  sideEffects: 'write',
  targets: [],
  params: '{}',
  reason: '',
  evidence: [],
  intention: undefined,
  choices: ['once', 'later', 'deny'],
  titles: {},
  undoMs: 0,
};

describe('Confirmers', () => {
  let clock: Clock;
  let bus: ScriptedBus;
  let confirmers: Confirmers;
  let lost: string[];
  beforeEach(() => {
    clock = new Clock();
    bus = new ScriptedBus(clock);
    lost = [];
    confirmers = new Confirmers({
      bus,
      now: clock.now,
      sleep: (ms, signal) => clock.sleep(ms, signal),
      limits: { armingMs: 100 },
      lost: ({ connection }) => lost.push(connection),
      locale: 'de',
    });
  });
  const surface = (connection: string, fallback = false): Confirmer => ({
    connection,
    path: '/c',
    fallback,
    canModify: false,
    locale: undefined,
    decider: `by ${connection}`,
  });
  /** What came of asking for a second: the kind, or the choice with who decided. */
  const ask = async (signal = new AbortController().signal): Promise<string> => {
    const reply = await confirmers.ask([{ question: QUESTION, problem: '' }], clock.ms + 1000, signal);
    if (reply.kind !== 'answered') return reply.kind;
    return `${reply.verdicts.get('d1')?.choice} ${reply.decider}`;
  };

  it('[R124] holds one of each kind', () => {
    assert.isTrue(confirmers.register(surface(':1.1')));
    assert.isFalse(confirmers.register(surface(':1.2')));
    assert.isTrue(confirmers.register(surface(':1.3', true)));
    assert.isFalse(confirmers.register(surface(':1.4', true)));
    assert.isTrue(confirmers.remove(':1.1'));
    assert.isFalse(confirmers.remove(':1.1'));
    assert.isTrue(confirmers.register(surface(':1.2')));
  });

  it("[R124] the compositor's wins over a fallback, whichever came first", () => {
    assert.isUndefined(confirmers.current());
    confirmers.register(surface(':1.3', true));
    assert.equal(confirmers.current()?.connection, ':1.3');
    confirmers.register(surface(':1.1'));
    assert.equal(confirmers.current()?.connection, ':1.1');
  });

  it('a question that does not fit into a message is refused and leaves the surface where it is', async () => {
    confirmers.register(surface(':1.1'));
    for (const code of ['limit', 'invalid'] as const) {
      bus.person = () => {
        throw new DBusError(code, ERROR_NAME.limitsExceeded, 'too large');
      };
      assert.equal(await ask(), 'too-large');
    }
    assert.equal(confirmers.current()?.connection, ':1.1');
    assert.deepEqual(lost, []);
  });

  it('[R91] the decider is who the bus says, never what the answer says', async () => {
    confirmers.register(surface(':1.1'));
    bus.person = ({ digest }) => {
      clock.ms += 100;
      return decision(digest, { decision: 'once', decider: 'somebody' });
    };
    assert.equal(await ask(), 'once by :1.1');
  });

  it('[R82] all surfaces together have one deadline', async () => {
    confirmers.register(surface(':1.1'));
    confirmers.register(surface(':1.2', true));
    const given: unknown[] = [];
    bus.person = ({ call }) => {
      given.push(call.timeoutMs);
      if (given.length === 2) return bus.never(call);
      clock.ms += 400;
      throw gone();
    };
    assert.equal(await ask(), 'expired');
    assert.deepEqual(given, [1000, 600]);
  });

  it('[R82] a surface that dies when the time is over leaves none to ask', async () => {
    confirmers.register(surface(':1.1'));
    confirmers.register(surface(':1.2', true));
    bus.person = () => {
      clock.ms += 1000;
      throw gone();
    };
    assert.equal(await ask(), 'expired');
    assert.lengthOf(bus.asked, 1);
  });

  it('each question has a name of its own: one may still be on its way off the screen', async () => {
    confirmers.register(surface(':1.1'));
    await ask();
    await ask();
    assert.equal(new Set(bus.asked.map(({ invocation }) => invocation)).size, 2);
  });

  it("[R154] speaks the language of the surface, or the broker's own", async () => {
    confirmers.register({ ...surface(':1.1'), locale: 'fr' });
    await ask();
    confirmers.register(surface(':1.1'));
    await ask();
    assert.deepEqual(
      bus.asked.map(({ context }) => context.get('locale')),
      ['fr', 'de'],
    );
  });

  it('[R67] an answer that comes too soon is taken from nobody, not even a no', async () => {
    confirmers.register(surface(':1.1'));
    bus.person = (asked) => {
      if (bus.asked.length < 3) return decision(asked.digest, { decision: 'deny' });
      return bus.once(asked);
    };
    assert.equal(await ask(), 'once by :1.1');
    assert.lengthOf(bus.asked, 3);
  });

  it('[R124] who unregisters while it is asked decides nothing: the question goes on to the next', async () => {
    confirmers.register(surface(':1.1'));
    confirmers.register(surface(':1.2', true));
    bus.person = (asked) => {
      if (asked.at === ':1.1') {
        setImmediate(() => confirmers.remove(':1.1'));
        return untilAborted(asked.call);
      }
      return bus.once(asked);
    };
    assert.equal(await ask(), 'once by :1.2');
    assert.deepEqual(bus.members(), ['Confirm', 'Withdraw', 'Confirm']);
  });

  it('[R124] an answer that was on its way when its surface unregistered counts as none', async () => {
    confirmers.register(surface(':1.1'));
    bus.person = (asked) => {
      confirmers.remove(':1.1');
      return bus.once(asked);
    };
    assert.equal(await ask(), 'no-confirmer');
  });

  it('[R124] one connection is one surface: as a fallback it is no longer the other', () => {
    confirmers.register(surface(':1.1'));
    confirmers.register(surface(':1.1', true));
    assert.isTrue(confirmers.register(surface(':1.2')));
    assert.equal(confirmers.current()?.connection, ':1.2');
  });

  it('the surface goes while its early answer is waited out', async () => {
    confirmers.register(surface(':1.1'));
    bus.person = ({ digest }) => {
      if (bus.asked.length > 1) throw gone();
      confirmers.remove(':1.1');
      return decision(digest, { decision: 'once' });
    };
    assert.equal(await ask(), 'no-confirmer');
  });

  it('the caller goes while an early answer is waited out', async () => {
    const caller = new AbortController();
    confirmers.register(surface(':1.1'));
    bus.person = ({ digest }) => {
      caller.abort();
      return decision(digest, { decision: 'once' });
    };
    assert.equal(await ask(caller.signal), 'changed');
  });

  it('one that was replaced meanwhile is not removed by the death of the old', async () => {
    confirmers.register(surface(':1.1'));
    const again = surface(':1.1');
    bus.person = (asked) => {
      if (bus.asked.length > 1) return bus.once(asked);
      confirmers.remove(':1.1');
      confirmers.register(again);
      throw remote(ERROR_NAME.noReply);
    };
    assert.equal(await ask(), 'once by :1.1');
    assert.equal(confirmers.current(), again);
  });

  it("a withdrawal that the surface cannot take is nobody's trouble", async () => {
    const caller = new AbortController();
    const { call } = bus;
    confirmers.register(surface(':1.1'));
    const real = { call: bus.call };
    Object.assign(bus, {
      call: (one: Parameters<typeof call>[0]) =>
        one.member === 'Withdraw' ? Promise.reject(gone()) : real.call(one),
    });
    bus.person = ({ call: one }) => {
      setImmediate(() => caller.abort());
      return untilAborted(one);
    };
    assert.equal(await ask(caller.signal), 'changed');
  });
});
