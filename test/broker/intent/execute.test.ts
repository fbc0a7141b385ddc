// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import type { MethodCall } from '../../../dbus/connection.ts';
import { DBusError, ERROR_NAME } from '../../../dbus/error.ts';
import { id } from './fixture-app.ts';
import { gone, remote, type ScriptedBus, success, untilAborted } from './scripted-bus.ts';
import { done, ends, type Ran, useDesk } from './world.ts';

const ERROR = 'org.portal.Broker1.Error.';

describe('the bounded execution', () => {
  const its = useDesk();
  const read = (more = {}, as = {}) => its.desk.dispatch(id('read'), {}, more, as);
  const write = (more = {}, as = {}) => its.desk.dispatch(id('write'), { path: '/tmp/a' }, more, as);
  const answers = (answer: string | Error): void => {
    its.desk.bus.app = () => {
      if (answer instanceof Error) throw answer;
      return answer;
    };
  };
  /** It ran, and this is how it ended. */
  const ended = (ran: Ran, status: 'failed' | 'unknown', code: string): string => {
    assert.deepEqual([ran.outcome.status, ran.outcome.code, ran.outcome.error?.code], [status, code, code]);
    assert.equal(ran.events.filter(({ type }) => type === 'requested').length, 1);
    assert.notProperty(ran.outcome, 'result');
    ends(ran, status, ran.outcome.stage, code);
    return ran.outcome.error?.message ?? '';
  };

  it('[R41] [R73] [R77] a result comes with its trust, its state and its record', async () => {
    answers(success({ text: 'x' }, { state_after: { open: 1 } }));
    const outcome = done(await its.desk.dispatch(id('look'), {}));
    assert.deepInclude(outcome, { result: { text: 'x' }, state_after: { open: 1 }, trust: 'medium' });
    assert.equal(done(await read()).trust, 'low');
  });

  it('[R72] [R116] [R117] [R118] [R78] the record says who, what and how far, and holds no data', async () => {
    answers(success({ text: 'the answer' }));
    const ran = await write({ origin: 'plan:3' });
    const event = ends(ran, 'executed', 'outcome');
    assert.deepInclude(event, {
      principal: 'agent',
      binding: 'uid',
      assurance: 'enforced',
      uid: 1000,
      pid: 4242,
      appId: 'org.example.Desk',
      capability: id('write'),
      version: '1.0',
      profile: 'standard',
      origin: 'plan:3',
      paramsSize: 17,
      resultSize: Buffer.byteLength(success({ text: 'the answer' })),
      durationMs: 1000,
    });
    assert.deepEqual(event.classification, {
      sideEffects: 'write',
      access: 'write',
      network: 'local',
      risk: 'medium',
      gate: 'ask',
    });
    assert.match(event.commitment ?? '', /^[0-9a-f]{64}$/);
    assert.notInclude(JSON.stringify(ran.events), '/tmp/a');
    assert.notInclude(JSON.stringify(ran.events), 'the answer');
  });

  it('[R76] an origin that is a text and no label is not recorded as one', async () => {
    const [event] = (await read({ origin: 'secret-word' })).events;
    assert.equal(event?.origin, 'invalid(11)');
  });

  it('[R35] [R70] [R137] no answer in time: a write is unknown, a read failed, and the app is told to stop', async () => {
    its.desk.bus.app = its.desk.bus.never;
    const ran = await write();
    assert.include(ended(ran, 'unknown', 'Timeout'), '1000 ms');
    assert.equal(ran.events.at(-1)?.resultSize, 0);
    assert.equal(ran.outcome.error?.recoverable, false);
    ended(await read(), 'failed', 'Timeout');
    assert.deepEqual(its.desk.bus.members(), ['Confirm', 'Invoke', 'Cancel', 'Invoke', 'Cancel']);
  });

  it('[R35] a caller can tighten the time and never stretch it', async () => {
    for (const [asked, given] of [
      [undefined, 1000],
      [300, 300],
      [5000, 1000],
    ]) {
      done(await write({ timeoutMs: asked }));
      assert.equal(its.desk.bus.ran.at(-1)?.timeoutMs, given);
    }
  });

  it('[R137] cancelled while it runs', async () => {
    const caller = new AbortController();
    its.desk.bus.app = (call) => {
      setImmediate(() => caller.abort());
      return untilAborted(call);
    };
    ended(await write({}, { signal: caller.signal }), 'unknown', 'Cancelled');
    assert.deepEqual(its.desk.bus.members(), ['Confirm', 'Invoke', 'Cancel']);
  });

  it('the app was gone before the call reached it', async () => {
    answers(gone());
    ended(await write(), 'failed', 'ProviderGone');
  });

  it('[R137] the app went while it ran', async () => {
    answers(remote(ERROR_NAME.noReply));
    ended(await write(), 'unknown', 'ProviderGone');
    ended(await read(), 'failed', 'ProviderGone');
  });

  it('the app left between the decision and the call', async () => {
    const { append } = its.desk.world.records;
    its.desk.world.records = {
      append: async (event, durability) => {
        const audited = await append.call(records, event, durability);
        if (event.type === 'requested') its.desk.providers.remove(':1.50');
        return audited;
      },
    };
    const { records } = its;
    ended(await write(), 'failed', 'ProviderGone');
  });

  for (const code of ['NotFound', 'InvalidParams', 'ExecutionFailed', 'PermissionDenied'] as const) {
    it(`[R50] the app says ${code}: it failed, in the app's words, labelled as such`, async () => {
      answers(remote(`${ERROR}${code}`, JSON.stringify({ reason: 'out of paper', recoverable: true })));
      const ran = await write();
      assert.equal(ended(ran, 'failed', code), 'the app says: out of paper');
      assert.equal(ran.outcome.error?.recoverable, true);
    });
  }

  for (const code of ['Timeout', 'AppUnresponsive'] as const) {
    it(`[R50] [R137] the app says ${code}: nobody knows what became of a write`, async () => {
      answers(remote(`${ERROR}${code}`, JSON.stringify({ message: 'late', recoverable: true })));
      const ran = await write();
      assert.equal(ended(ran, 'unknown', code), 'the app says: late');
      assert.equal(ran.outcome.error?.recoverable, false);
      ended(await read(), 'failed', code);
    });
  }

  for (const name of [
    'org.example.Error.Whatever',
    `${ERROR}NoSuchCode`,
    'org.freedesktop.DBus.Error.UnknownMethod',
  ]) {
    it(`[R137] an error named ${name} says nothing`, async () => {
      answers(remote(name, 'secret words'));
      assert.notInclude(ended(await write(), 'unknown', 'ExecutionFailed'), 'secret');
    });
  }

  it('the connection to the bus ends', async () => {
    answers(new DBusError('disconnected', ERROR_NAME.disconnected, 'over'));
    ended(await write(), 'unknown', 'ProviderGone');
  });

  it('an answer that the bus connection cannot take leaves a write unknown', async () => {
    answers(new DBusError('limit', ERROR_NAME.limitsExceeded, 'too large'));
    ended(await write(), 'unknown', 'ResultTooLarge');
    answers(new DBusError('protocol', ERROR_NAME.inconsistentMessage, 'cannot be read'));
    ended(await write(), 'unknown', 'ResultInvalid');
  });

  it('a call that could not even be sent did nothing', async () => {
    answers(new DBusError('invalid', ERROR_NAME.invalidArgs, 'no such path'));
    ended(await write(), 'failed', 'Failed');
  });

  const wrong: readonly [what: string, answer: unknown, code: string][] = [
    ['no JSON', 'fine', 'ResultInvalid'],
    ['a repeated key', '{"success":true,"success":true}', 'ResultInvalid'],
    ['an array', '[]', 'ResultInvalid'],
    ['no success', '{"data":{}}', 'ResultInvalid'],
    ['a field that is none', '{"success":true,"approved":true}', 'ResultInvalid'],
    ['an undo token that is no text', '{"success":true,"undo_token":5}', 'ResultInvalid'],
    ['what its schema forbids', success({ text: 5 }), 'ResultInvalid'],
    ['what its schema does not know', success({ text: 'a', more: 1 }), 'ResultInvalid'],
    ['over its own bound', success({ text: 'a'.repeat(100) }), 'ResultTooLarge'],
    ['a state over the bound', success({}, { state_after: 'a'.repeat(100) }), 'ResultTooLarge'],
    ['an envelope over the bound', success({}, { undo_token: 'a'.repeat(9000) }), 'ResultTooLarge'],
    ['no text', 5, 'ResultInvalid'],
  ];
  for (const [what, answer, code] of wrong) {
    it(`[R21] [R35] [R137] ${what} is no result, and a write is unknown`, async () => {
      its.desk.bus.app = () => answer;
      ended(await write(), 'unknown', code);
      assert.equal(its.desk.undos.find('x', 0), undefined);
    });
  }

  it('[R49] the app says that it did not succeed', async () => {
    answers(JSON.stringify({ success: false, data: { text: 'x' } }));
    ended(await write(), 'failed', 'ExecutionFailed');
  });

  const bounds: readonly [
    what: string,
    answer: (bus: ScriptedBus, call: MethodCall) => unknown,
    code: string,
  ][] = [
    ['answers no JSON', () => 'no JSON', 'ResultInvalid'],
    ['answers no text', () => 5, 'ResultInvalid'],
    ['breaks its own schema', () => success({ text: 5 }), 'ResultInvalid'],
    ['answers too much', () => success({ text: 'a'.repeat(70_000) }), 'ResultTooLarge'],
    ['does not answer in time', (bus, call) => bus.never(call), 'Timeout'],
  ];
  for (const [what, answer, code] of bounds) {
    it(`[R70] an app that ${what} again and again is put out of service`, async () => {
      its.desk.bus.app = (call) => answer(its.desk.bus, call);
      for (const left of [1, 2, 3]) {
        assert.lengthOf(its.desk.quarantined, 0, `before number ${left}`);
        ended(await read(), 'failed', code);
      }
      const out = its.desk.quarantined.map(({ connection }) => connection);
      assert.deepEqual(out, [':1.50']);
    });
  }

  it('a caller that waits less than was declared cannot put an app out of service', async () => {
    its.desk.bus.app = its.desk.bus.never;
    for (let times = 0; times < 5; times += 1) ended(await read({ timeoutMs: 100 }), 'failed', 'Timeout');
    assert.lengthOf(its.desk.quarantined, 0);
  });

  it('what comes of putting an app out of service does not change how the invocation ended', async () => {
    answers('no JSON');
    its.desk.world.providers = Object.assign(Object.create(its.desk.providers), {
      run: its.desk.providers.run.bind(its.desk.providers),
      binding: () => 'sandbox',
      brokeBound: () => {
        throw new Error('a fault');
      },
    });
    ended(await write(), 'unknown', 'ResultInvalid');
    assert.lengthOf(its.desk.faults, 1);
  });

  it('[R47] [R48] [R69] the app learns who asks and from where, and nothing else', async () => {
    done(await read({ session: 's1' }));
    const [call] = its.desk.bus.ran;
    const { destination, path, member, signature, body = [] } = call ?? {};
    assert.deepEqual([destination, path, member, signature], [':1.50', '/portal', 'Invoke', 'sssa{sv}']);
    const context = Object.entries(Object(body[3])).map(([key, wrapped]) => [key, Object(wrapped).value]);
    assert.deepEqual(Object.fromEntries(context), {
      source: 'SystemIntelligence',
      timestamp: new Date(its.desk.clock.ms).toISOString(),
      app_id: 'org.example.Desk',
      principal: 'agent',
      invocation: body[0],
      session_id: 's1',
    });
  });

  it("an operation of the broker's own that does not exist fails", async () => {
    const { outcome } = await its.desk.dispatch('test.missing', {});
    assert.deepEqual([outcome.status, outcome.code], ['failed', 'Failed']);
  });
});
