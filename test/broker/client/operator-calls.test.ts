// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { OPERATOR, ROOT_PATH } from '../../../broker/bus/names.ts';
import { BrokerError, connectOperator, EVERYBODY, type OperatorClient } from '../../../broker/client.ts';
import { DBusError } from '../../../dbus/error.ts';
import { asDictionary } from '../../../dbus/values.ts';
import { useBus } from '../../support/bus.ts';
import { FakeBroker } from '../fake-broker.ts';
import { Inbox } from '../inbox.ts';
import { grantRow, matrixRow, pendingRow, requestRow, ruleRow } from './rows.ts';

describe("the operator's calls", () => {
  const bus = useBus();
  let broker: FakeBroker;
  let operator: OperatorClient;

  beforeEach(async () => {
    broker = await FakeBroker.start(bus);
    operator = await connectOperator({ address: bus.address });
  });
  afterEach(async () => {
    await operator.close();
    await broker.stop();
  });

  const answers = (member: string, value: unknown): void => {
    broker.answers[member] = () => (value === undefined ? [] : [JSON.stringify(value)]);
  };
  /** The arguments of the last call of `member`, dictionaries as objects. */
  const sent = (member: string): readonly unknown[] =>
    (broker.called(member).at(-1)?.args ?? []).map((arg) =>
      Array.isArray(arg) || arg instanceof Map ? Object.fromEntries(asDictionary(arg)) : arg,
    );
  const codeOf = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'none',
      (error: unknown) => (error instanceof BrokerError ? error.code : String(error)),
    );
  const emit = (member: string, signature: string, body: readonly unknown[]): void =>
    broker.connection.emit({ path: ROOT_PATH, interface: OPERATOR, member, signature, body });

  it('[R92] lists what waits, and what ended', async () => {
    const { targets: _t, params: _p, reason: _r, evidence: _e, ...ended } = pendingRow({ state: 'executed' });
    answers('Pending', [pendingRow(), ended]);
    assert.deepEqual(await operator.approvals.list({ ended: true }), [pendingRow(), ended]);
    assert.deepEqual(sent('Pending'), [{ ended: true }]);
  });

  it('shows no half of a question', async () => {
    for (const missing of ['params', 'reason', 'evidence', 'targets', 'digest', 'choices'] as const) {
      answers('Pending', [{ ...pendingRow(), [missing]: undefined }]);
      assert.equal(await codeOf(operator.approvals.list()), 'Protocol', missing);
    }
    answers('Pending', { rows: [] });
    assert.equal(await codeOf(operator.approvals.list()), 'Protocol');
  });

  it('[R84] [R85] [R87] approves what was read, with what was chosen', async () => {
    answers('Approve', undefined);
    await operator.approvals.approve('i', 'd');
    assert.deepEqual(sent('Approve'), ['i', 'd', {}]);
    const options = { choice: 'session', minutes: 20, params: '{}', note: 'go' } as const;
    await operator.approvals.approve('i', 'd', options);
    assert.deepEqual(sent('Approve'), ['i', 'd', options]);
  });

  it('[R86] denies, puts off and extends', async () => {
    for (const member of ['Deny', 'Later', 'Extend']) answers(member, undefined);
    await operator.approvals.deny('i', { note: 'no', session: true });
    await operator.approvals.later('i');
    await operator.approvals.extend('i');
    assert.deepEqual(sent('Deny'), ['i', { note: 'no', session: true }]);
    assert.deepEqual([sent('Later'), sent('Extend')], [['i'], ['i']]);
  });

  it('keeps the names of refusals', async () => {
    const names = [
      'Stale',
      'NotFound',
      'InvalidParams',
      'NotAllowed',
      'RuleInvalid',
      'GrantInvalid',
      'RecordFailed',
    ];
    for (const name of names) {
      broker.answers.Approve = () => {
        throw new DBusError('remote', `org.portal.Broker1.Error.${name}`, 'no');
      };
      assert.equal(await codeOf(operator.approvals.approve('i', 'd')), name);
    }
  });

  it('tells what changed, who acts and what was done, from the broker alone', async () => {
    const heard = new Inbox<unknown>();
    await operator.approvals.onChanged(heard.put);
    await operator.approvals.onActing((principal, active) => heard.put([principal, active]));
    await operator.approvals.onActed(heard.put);
    const stranger = await bus.connect();
    stranger.emit({
      path: ROOT_PATH,
      interface: OPERATOR,
      member: 'PendingChanged',
      signature: 'as',
      body: [['forged']],
    });
    emit('PendingChanged', 's', ['another form']);
    emit('PendingChanged', 'as', [['a', 'b']]);
    emit('Acting', 'sb', ['assistant', true]);
    emit('Acted', 'sst', ['i', 'x of y', 0n]);
    emit('Acted', 'sst', ['i', 'x of y', 5n]);
    assert.deepEqual(await heard.next(), ['a', 'b']);
    assert.deepEqual(await heard.next(), ['assistant', true]);
    assert.deepEqual(await heard.next(), { invocation: 'i', summary: 'x of y', undoUntil: undefined });
    assert.deepEqual(await heard.next(), { invocation: 'i', summary: 'x of y', undoUntil: 5 });
    assert.isEmpty(heard.rest);
  });

  it('[R107] [R108] lists, makes, narrows and revokes grants', async () => {
    const { operations_left: _o, target: _t, ...session } = grantRow({ kind: 'session' });
    answers('Grants', [grantRow(), session]);
    assert.deepEqual(await operator.grants.list(), [grantRow(), session]);
    const grant = {
      principal: 'p',
      capability: 'c',
      access: 'read',
      minutes: 5,
      operations: 1,
      reason: 'r',
      params: { '/a': 'b' },
    } as const;
    answers('AddGrant', { id: 'g', findings: [{ kind: 'no-effect', text: 'a rule denies it' }] });
    const made = await operator.grants.add(grant);
    assert.deepEqual(made, { id: 'g', findings: [{ kind: 'no-effect', text: 'a rule denies it' }] });
    assert.deepEqual(JSON.parse(String(sent('AddGrant')[0])), grant);
    answers('NarrowGrant', undefined);
    answers('RevokeGrant', undefined);
    await operator.grants.narrow('g', { operations: 1 });
    await operator.grants.revoke('g');
    assert.deepEqual(sent('NarrowGrant'), ['g', '{"operations":1}']);
    assert.deepEqual(sent('RevokeGrant'), ['g']);
    answers('Grants', [{ id: 'g' }]);
    assert.equal(await codeOf(operator.grants.list()), 'Protocol');
  });

  it('[R104] [R105] lists and decides what is asked for', async () => {
    answers('CapabilityRequests', [requestRow()]);
    assert.deepEqual(await operator.grants.requests(), [requestRow()]);
    answers('DecideRequest', { id: 'g', findings: [] });
    assert.equal((await operator.grants.grantRequest('q', { operations: 2 })).id, 'g');
    assert.deepEqual(sent('DecideRequest'), ['q', '{"decision":"grant","grant":{"operations":2}}']);
    answers('DecideRequest', {});
    await operator.grants.denyRequest('q', 'no');
    assert.deepEqual(sent('DecideRequest'), ['q', '{"decision":"deny","note":"no"}']);
    assert.equal(await codeOf(operator.grants.grantRequest('q')), 'Protocol');
  });

  it('reads the rules, adds and removes one', async () => {
    const policy = { rules: [ruleRow()], locked: ['a.b'], files: [{ path: '/x', source: 'root', rules: 1 }] };
    answers('Rules', policy);
    assert.deepEqual(await operator.policy.rules(), policy as unknown);
    answers('AddRule', { id: 'r', findings: [] });
    await operator.policy.add({ effect: 'DENY', reason: 'no', capability: undefined });
    assert.deepEqual(sent('AddRule'), ['{"effect":"DENY","reason":"no"}']);
    answers('RemoveRule', undefined);
    await operator.policy.remove('r');
    assert.deepEqual(sent('RemoveRule'), ['r']);
  });

  it('[R101] [R129] [R130] asks for the matrix, a simulation and an explanation', async () => {
    answers('Matrix', [matrixRow()]);
    assert.deepEqual(await operator.policy.matrix({ principal: 'p', appId: 'a' }), [matrixRow()]);
    assert.deepEqual(sent('Matrix'), [{ principal: 'p', app_id: 'a' }]);
    const report = { decisions: 1, same: 0, flips: 1, depends: 0, examples: [] };
    answers('Simulate', report);
    assert.deepEqual(await operator.policy.simulate([], { since: 1, until: 2, limit: 3 }), report);
    assert.deepEqual(sent('Simulate'), ['[]', { since: 1n, until: 2n, limit: 3 }]);
    const explanation = {
      effect: 'deny',
      stage: 'policy',
      code: 'PolicyDenied',
      rule: 'r',
      would_change: ['grant'],
    };
    answers(`${OPERATOR}.Explain`, explanation);
    assert.deepEqual(
      await operator.policy.explain('p', 'c', { a: 1 }, { version: '1.0' }),
      explanation as unknown,
    );
    assert.deepEqual(sent('Explain'), ['p', 'c', '{"a":1}', { version: '1.0' }]);
  });

  it('tells when grants and rules changed', async () => {
    const heard = new Inbox<string>();
    await operator.grants.onChanged(() => heard.put('grants'));
    await operator.policy.onChanged(() => heard.put('rules'));
    emit('GrantsChanged', '', []);
    emit('RulesChanged', '', []);
    assert.deepEqual([await heard.next(), await heard.next()], ['grants', 'rules']);
  });

  it('[R151] suspends, resumes, lists who is suspended, and says whether the session is locked', async () => {
    for (const member of ['Suspend', 'Resume', 'SetSession']) answers(member, undefined);
    answers('Suspensions', [{ principal: '*' }, { principal: 'p', until: 5 }]);
    await operator.stopping.suspend(EVERYBODY);
    assert.deepEqual(sent('Suspend'), ['*', 0]);
    await operator.stopping.suspend('p', 30);
    assert.deepEqual(sent('Suspend'), ['p', 30]);
    await operator.stopping.resume('p');
    assert.deepEqual(sent('Resume'), ['p']);
    assert.deepEqual(await operator.stopping.list(), [{ principal: '*' }, { principal: 'p', until: 5 }]);
    await operator.stopping.setSession({ locked: true });
    assert.deepEqual(sent('SetSession'), [{ locked: true }]);
  });

  it('tells when another broker is there', async () => {
    const heard = new Inbox<string>();
    const stop = operator.onRestart(() => heard.put('there'));
    await broker.stop();
    broker = await FakeBroker.start(bus);
    assert.equal(await heard.next(), 'there');
    stop();
  });
});
