// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { CONFIRMER, OPERATOR, ROOT_PATH } from '../../broker/bus/names.ts';
import {
  BrokerError,
  type ConfirmQuestion,
  connectOperator,
  type Decide,
  type Decision,
  type OperatorClient,
} from '../../broker/client.ts';
import { DBusError } from '../../dbus/error.ts';
import { asDictionary, variant } from '../../dbus/values.ts';
import { useBus } from '../support/bus.ts';
import { FakeBroker } from './fake-broker.ts';
import { Inbox } from './inbox.ts';

const TEXTS = {
  invocation: 'i1',
  digest: 'ab12',
  kind: 'invoke',
  capability: 'notes.org.example.notes.delete',
  version: '1.0',
  title: 'Delete a note',
  app_id: 'org.example.Notes',
  binding: 'exe',
  icon: '',
  principal: 'agent',
  principal_binding: 'pid',
  risk: 'high',
  side_effects: 'destructive',
  target: 'shopping',
  window: '',
  params: '{"name":"shopping"}',
  reason: 'it is old',
  undo: 'can be undone for 30 s',
  intention: 'tidy up',
  problem: '',
};
const ITEM = {
  ...Object.fromEntries(Object.entries(TEXTS).map(([key, value]) => [key, variant('s', value)])),
  evidence: variant('as', ['a mail']),
  choices: variant('as', ['once', 'deny']),
  own_tick: variant('b', true),
};
const CONTEXT = {
  locale: variant('s', 'de'),
  deadline_ms: variant('u', 120000),
  arming_ms: variant('u', 500),
  assurance: variant('s', 'advisory'),
};
const UNDONE = { invocation: 'u1', status: 'executed', stage: 'outcome', result: null };

describe('connectOperator', () => {
  const bus = useBus();
  let broker: FakeBroker;
  let operator: OperatorClient;

  beforeEach(async () => {
    broker = await FakeBroker.start(bus);
    broker.answers.RegisterConfirmer = () => [];
    broker.answers.UnregisterConfirmer = () => [];
    operator = await connectOperator({ address: bus.address });
  });

  afterEach(async () => {
    await operator.close();
    await broker.stop();
  });

  function confirm(items: unknown = [ITEM], context: unknown = CONTEXT): Promise<readonly unknown[]> {
    const { sender, args } = broker.called('RegisterConfirmer').at(-1) ?? { sender: '', args: [] };
    const body = ['q1', items, context];
    return broker.call(sender, String(args[0]), CONFIRMER, 'Confirm', 'saa{sv}a{sv}', body);
  }

  async function errorName(promise: Promise<unknown>): Promise<string> {
    const error = await promise.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    return error instanceof DBusError
      ? error.name.replace('org.freedesktop.DBus.Error.', '')
      : `no: ${error}`;
  }

  it('reads apps, records and the verdict on them', async () => {
    broker.answers.Apps = () => ['[{"app_id":"a"}]'];
    broker.answers.Audit = () => ['[{"audit_id":"1"}]'];
    broker.answers.VerifyAudit = () => ['{"ok":true}'];
    assert.deepEqual(await operator.apps(), [{ app_id: 'a' }]);
    assert.deepEqual(await operator.audit(), [{ audit_id: '1' }]);
    assert.deepEqual(await operator.verifyAudit(), { ok: true });
    const filter = {
      type: 'denied',
      principal: 'p',
      capability: 'c',
      invocation: 'i',
      since: 1,
      until: 2 ** 45,
      after: 7,
      limit: 5,
    };
    await operator.audit(filter);
    assert.deepEqual(Object.fromEntries(asDictionary(broker.called('Audit')[1]?.args[0])), {
      ...filter,
      since: 1n,
      until: 2n ** 45n,
      after: 7n,
    } as unknown);
  });

  it('rejects what has another form, and what is refused', async () => {
    const codeOf = (promise: Promise<unknown>) =>
      promise.then(
        () => 'none',
        (error: unknown) => (error instanceof BrokerError ? error.code : String(error)),
      );
    broker.answers.Apps = () => ['{}'];
    assert.equal(await codeOf(operator.apps()), 'Protocol');
    broker.answers.Apps = () => ['[1]'];
    assert.equal(await codeOf(operator.apps()), 'Protocol');
    broker.answers.Apps = () => {
      throw new DBusError('invalid', 'org.freedesktop.DBus.Error.AccessDenied', 'not an operator');
    };
    assert.equal(await codeOf(operator.apps()), 'AccessDenied');
  });

  it('[R156] undoes for the person', async () => {
    broker.answers[`${OPERATOR}.Undo`] = () => ['/x', 'executed', JSON.stringify(UNDONE)];
    assert.deepEqual(await operator.undo('i1'), UNDONE as unknown);
  });

  it('tells of apps that changed, in the words of the broker alone', async () => {
    broker.answers.Apps = () => ['[]'];
    await operator.apps();
    const changes = new Inbox<readonly string[]>();
    await operator.onAppsChanged(changes.put);
    const destination = broker.called('Apps')[0]?.sender ?? '';
    const signal = {
      destination,
      path: ROOT_PATH,
      interface: OPERATOR,
      member: 'AppsChanged',
      signature: 'as',
    };
    const forger = await bus.connect();
    forger.emit({ ...signal, body: [['forged']] });
    await forger.call({ destination, path: '/', interface: 'org.freedesktop.DBus.Peer', member: 'Ping' });
    broker.connection.emit({ ...signal, body: [['org.example.Notes']] });
    assert.deepEqual(await changes.next(), ['org.example.Notes']);
  });

  describe('[R124] a confirmer', () => {
    it('is shown every field of the question, and its decisions are the reply', async () => {
      const questions = new Inbox<ConfirmQuestion>();
      const decide: Decide = async (question) => {
        questions.put(question);
        return new Map<string, Decision>([
          ['ab12', { decision: 'once' }],
          ['cd34', { decision: 'deny', note: 'not this one' }],
        ]);
      };
      await operator.registerConfirmer(decide, { fallback: true });
      assert.deepEqual(Object.fromEntries(asDictionary(broker.called('RegisterConfirmer')[0]?.args[1])), {
        fallback: true,
      });
      const [reply] = await confirm([ITEM, { ...ITEM, digest: variant('s', 'cd34') }]);
      const { signal, ...question } = await questions.next();
      const { app_id, icon, window, principal_binding, side_effects, ...same } = TEXTS;
      const row = {
        ...same,
        appId: app_id,
        principalBinding: principal_binding,
        sideEffects: side_effects,
        evidence: ['a mail'],
        ownTick: true,
        choices: ['once', 'deny'],
      };
      assert.equal(icon + window, '');
      assert.deepEqual(question, {
        id: 'q1',
        items: [row, { ...row, digest: 'cd34' }],
        locale: 'de',
        deadlineMs: 120000,
        armingMs: 500,
        assurance: 'advisory',
      });
      assert.isFalse(signal.aborted);
      const rows = asDictionary(reply);
      assert.deepEqual(Object.fromEntries(asDictionary(rows.get('ab12'))), { decision: 'once' });
      assert.deepEqual(Object.fromEntries(asDictionary(rows.get('cd34'))), {
        decision: 'deny',
        note: 'not this one',
      });
    });

    it('answers nobody but the broker', async () => {
      let asked = false;
      await operator.registerConfirmer(async () => {
        asked = true;
        return new Map();
      });
      const { sender, args } = broker.called('RegisterConfirmer')[0] ?? { sender: '', args: [] };
      const stranger = await bus.connect();
      const call = { destination: sender, path: String(args[0]), interface: CONFIRMER };
      const asking = stranger.call({
        ...call,
        member: 'Confirm',
        signature: 'saa{sv}a{sv}',
        body: ['q1', [ITEM], CONTEXT],
      });
      assert.equal(await errorName(asking), 'AccessDenied');
      const withdrawing = stranger.call({ ...call, member: 'Withdraw', signature: 's', body: ['q1'] });
      assert.equal(await errorName(withdrawing), 'AccessDenied');
      assert.isFalse(asked);
    });

    it('gives no answer where asking failed', async () => {
      await operator.registerConfirmer(async () => Promise.reject(new Error('the terminal is gone: secret')));
      const error = await confirm().catch((reason: unknown) => reason);
      assert.equal(Object(error).name, 'org.freedesktop.DBus.Error.Failed');
      assert.notInclude(Object(error).message, 'secret');
    });

    it('is told when a question is withdrawn', async () => {
      const asked = new Inbox<ConfirmQuestion>();
      await operator.registerConfirmer(async (question) => {
        asked.put(question);
        await new Promise((resolve) => question.signal.addEventListener('abort', resolve, { once: true }));
        throw question.signal.reason;
      });
      const answer = errorName(confirm());
      await asked.next();
      const { sender, args } = broker.called('RegisterConfirmer')[0] ?? { sender: '', args: [] };
      const withdraw = (id: string) => broker.call(sender, String(args[0]), CONFIRMER, 'Withdraw', 's', [id]);
      assert.equal(await errorName(confirm()), 'InvalidArgs', 'a question that is open is not asked twice');
      await withdraw('other');
      await withdraw('q1');
      assert.equal(await answer, 'Failed');
      await withdraw('q1');
    });

    for (const [what, items, context] of [
      ['a row without its parameters', [{ ...ITEM, params: variant('u', 1) }], CONTEXT],
      ['a row without choices', [{ digest: ITEM.choices }], CONTEXT],
      ['no deadline', [ITEM], { ...CONTEXT, deadline_ms: variant('s', 'soon') }],
      ['choices that are no list', [{ ...ITEM, choices: variant('s', 'once') }], CONTEXT],
    ] as const) {
      it(`decides nothing about a question with ${what}`, async () => {
        let asked = false;
        await operator.registerConfirmer(async () => {
          asked = true;
          return new Map();
        });
        assert.equal(await errorName(confirm(items, context)), 'InvalidArgs');
        assert.isFalse(asked);
      });
    }

    it('asks for the next broker too, until it stops', async () => {
      const stop = await operator.registerConfirmer(async () => new Map());
      await broker.stop();
      broker = await FakeBroker.start(bus);
      const registered = new Inbox<true>();
      broker.answers.RegisterConfirmer = () => {
        registered.put(true);
        return [];
      };
      broker.answers.UnregisterConfirmer = () => [];
      await registered.next();
      await stop();
      assert.lengthOf(broker.called('UnregisterConfirmer'), 1);
      assert.equal(await errorName(confirm()), 'UnknownObject');
    });

    it('serves nothing where it was refused', async () => {
      broker.answers.RegisterConfirmer = () => {
        throw new DBusError('invalid', 'org.portal.Broker1.Error.NotAllowed', 'there is one already');
      };
      const error = await operator
        .registerConfirmer(async () => new Map())
        .catch((reason: unknown) => reason);
      assert.equal(Object(error).code, 'NotAllowed');
      assert.equal(await errorName(confirm()), 'UnknownObject');
    });
  });
});
