// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { BROKER, REGISTRY, REQUEST } from '../../broker/bus/names.ts';
import {
  cancelCall,
  dispatchCall,
  listCall,
  options,
  outcomeCall,
  pingCall,
  propertiesCall,
  readOutcome,
  readReply,
} from '../support/broker-calls.ts';
import { useDesktop } from '../support/desktop.ts';
import { fix, fixtureManifest, type Json } from '../support/fixture-app.ts';
import type { AgentPeer, AppPeer, PersonPeer, RawPeer } from '../support/peers.ts';
import { codeOf, INVALID_ARGS, UNKNOWN_OBJECT } from '../support/refusals.ts';

interface Heard {
  readonly path: string;
  readonly member: string;
  readonly body: readonly unknown[];
}

describe('an intent, over the bus', () => {
  const desktop = useDesktop();
  let app: AppPeer;
  let agent: AgentPeer;
  let person: PersonPeer;
  let caller: RawPeer;
  let other: RawPeer;

  before(async () => {
    [app, agent, person, caller, other] = await Promise.all([
      desktop().fixture(),
      desktop().agent(),
      desktop().person(),
      desktop().raw(),
      desktop().raw(),
    ]);
    await person.confirm([{}]);
    await agent.list();
    await caller.call(listCall());
  });

  const completed = async (path: string): Promise<Heard> =>
    await caller.process.tellings.next<Heard>(
      'heard',
      (one) => one.path === path && one.member === 'Completed',
    );

  it('[R1] [R73] [R123] a read runs to its end, the outcome in the reply', async () => {
    const { status, outcome } = readReply(
      await caller.call(dispatchCall(fix('look'), { text: 'here' }, options({ wait_ms: 10_000 }))),
    );
    assert.equal(status, 'executed');
    assert.equal(outcome?.stage, 'outcome');
    assert.deepEqual(outcome?.result, { echo: { text: 'here' } });
    assert.match(String(outcome?.audit_id), /^\d+$/);
  });

  it('[R45] [R47] [R48] the app gets the canonical parameters and a context that the broker made', async () => {
    await agent.dispatch(fix('look'), { text: 'b', count: 1 }, { session: 'tea' });
    const { capability, params, context } = await app
      .nextInvoked(fix('look'))
      .then(() => app.invoked.at(-1) as never);
    assert.equal(capability, fix('look'));
    assert.deepEqual(params, { count: 1, text: 'b' });
    assert.include(context, { source: 'SystemIntelligence', appId: 'org.example.Fixture', sessionId: 'tea' });
    assert.match((context as Json).principal as string, new RegExp(`^desk:pid:${agent.process.pid}:`));
    assert.isBelow(Math.abs(Date.parse((context as Json).timestamp as string) - Date.now()), 60_000);
  });

  it('[R75] a capability of the broker itself takes the same path', async () => {
    const outcome = await agent.dispatch('system.health');
    assert.equal(outcome.status, 'executed');
    assert.equal(outcome.trust, 'high');
    assert.equal((outcome.result as Json).status, 'ok');
    const events = desktop().audit({ invocation: outcome.invocation });
    assert.deepEqual(
      events.map(({ type }) => type),
      ['requested', 'executed'],
    );
  });

  it('[R74] [R123] a write waits for the person; its outcome follows, to the caller alone', async () => {
    const [, path] = [await caller.hear({ interface: REQUEST }), await ownPath('mine')];
    await other.hear({ interface: REQUEST });
    const reply = readReply(
      await caller.call(
        dispatchCall(fix('write'), { text: 'w' }, options({ handle_token: 'mine', wait_ms: 0 })),
      ),
    );
    assert.deepEqual(reply, { request: path, status: 'pending', outcome: undefined });
    const asked = await person.nextAsked(fix('write'));
    assert.equal(app.timesInvoked(fix('write')), 0);
    await person.decide(asked.invocation, 'once');
    const { body } = await completed(path);
    assert.equal(body[0], 'executed');
    assert.deepInclude(readOutcome(body[1]), {
      invocation: asked.invocation,
      result: { echo: { text: 'w' } },
    });
    // Messages of one sender keep their order: an answer of the broker to somebody else comes after all it sent before.
    await other.call(pingCall());
    assert.deepEqual(other.heard, []);
  });

  it('[R123] the Request object exists for its caller alone', async () => {
    const { request } = readReply(await caller.call(dispatchCall(fix('write'), {}, options({ wait_ms: 0 }))));
    const asked = await person.nextAsked(fix('write'));
    const [mine] = await caller.call(propertiesCall(request, REQUEST));
    assert.deepInclude(mine as unknown[], ['Status', { signature: 's', value: 'pending' }] as never);
    assert.equal(await codeOf(other.call(propertiesCall(request, REQUEST))), UNKNOWN_OBJECT);
    assert.equal(await codeOf(other.call(cancelCall(request))), UNKNOWN_OBJECT);
    const [xml] = await other.call({
      ...pingCall(),
      interface: 'org.freedesktop.DBus.Introspectable',
      member: 'Introspect',
    });
    assert.notInclude(String(xml), request.split('/').at(-2) ?? '');
    await person.decide(asked.invocation, 'deny');
    assert.equal((await completed(request)).body[0], 'denied');
  });

  it('[R123] wait_ms 0 answers at once even for a read; the outcome follows', async () => {
    const { request, status } = readReply(
      await caller.call(dispatchCall(fix('look'), {}, options({ wait_ms: 0, handle_token: 'quick' }))),
    );
    assert.equal(status, 'pending');
    assert.equal((await completed(request)).body[0], 'executed');
  });

  it('[R123] a handle token names one request at a time, and can be used again once that is over', async () => {
    const again = (text: string) =>
      caller.call(dispatchCall(fix('write'), { text }, options({ wait_ms: 0, handle_token: 'twice' })));
    const { request } = readReply(await again('first'));
    const asked = await person.nextAsked(fix('write'));
    assert.equal(await codeOf(again('second')), INVALID_ARGS);
    await person.decide(asked.invocation, 'deny');
    assert.equal((await completed(request)).body[0], 'denied');
    assert.equal(readReply(await again('third')).request, request);
    const next = await person.nextAsked(fix('write'));
    await person.decide(next.invocation, 'once');
    assert.equal((await completed(request)).body[0], 'executed');
    assert.equal(app.invoked.at(-1)?.params.text, 'third');
  });

  it('[R90] Cancel withdraws what the person has not answered', async () => {
    const before = app.timesInvoked(fix('write'));
    const { request } = readReply(await caller.call(dispatchCall(fix('write'), {}, options({ wait_ms: 0 }))));
    const asked = await person.nextAsked(fix('write'));
    await caller.call(cancelCall(request));
    const { body } = await completed(request);
    assert.equal(body[0], 'denied');
    assert.deepInclude(readOutcome(body[1]), { stage: 'confirm', code: 'Withdrawn' });
    assert.equal(await person.process.tellings.next('withdrawn'), asked.invocation);
    await person.decide(asked.invocation, 'once');
    await desktop().ping();
    assert.equal(app.timesInvoked(fix('write')), before);
  });

  it('[R137] Cancel of what runs is unknown for a write and failed for a read, and the app is told', async () => {
    for (const [action, status] of [
      ['brief', 'unknown'],
      ['briefly', 'failed'],
    ] as const) {
      await app.behave(fix(action), { hang: true });
      const outcome = agent.dispatch(fix(action), {}, {}, action);
      if (action === 'brief') await person.decide((await person.nextAsked(fix('brief'))).invocation, 'once');
      const { context } = await app.nextInvoked(fix(action));
      await agent.process.ask('cancel', { key: action });
      assert.deepInclude(await outcome, { status, stage: 'dispatch', code: 'Cancelled' });
      assert.equal(await app.process.tellings.next('cancelled'), context.invocation);
      await app.behave(fix(action), {});
    }
  });

  it('[R155] an outcome can be asked for from another connection of the same principal, and by nobody else', async () => {
    const { outcome } = readReply(
      await caller.call(dispatchCall(fix('look'), {}, options({ wait_ms: 10_000 })), 'first'),
    );
    const invocation = String(outcome?.invocation);
    const [status, text] = await caller.call(outcomeCall(invocation), 'second');
    assert.equal(status, 'executed');
    assert.equal(readOutcome(text)?.audit_id, outcome?.audit_id);
    assert.equal(await codeOf(other.call(outcomeCall(invocation))), 'org.portal.Broker1.Error.NotFound');
  });

  it('[R155] an outcome that is not there yet is pending', async () => {
    const { request } = readReply(await caller.call(dispatchCall(fix('write'), {}, options({ wait_ms: 0 }))));
    const { invocation } = await person.nextAsked(fix('write'));
    assert.deepEqual(await caller.call(outcomeCall(invocation), 'second'), ['pending', '']);
    assert.equal(await codeOf(other.call(outcomeCall(invocation))), 'org.portal.Broker1.Error.NotFound');
    await person.decide(invocation, 'deny');
    await completed(request);
  });

  it('[R155] progress reaches the caller of the invocation, from its app alone', async () => {
    await app.behave(fix('briefly'), { hang: true });
    const outcome = agent.dispatch(fix('briefly'), {}, {}, 'slow');
    const { context } = await app.nextInvoked(fix('briefly'));
    const report = { invocation: context.invocation, permille: 5000, text: 'half' };
    const foreign = { ...pingCall(), interface: REGISTRY, member: 'Progress', signature: 'sus' };
    const body = [context.invocation, 1, 'no'];
    assert.equal(await codeOf(other.call({ ...foreign, body })), 'org.portal.Broker1.Error.NotFound');
    await app.process.ask('progress', report);
    assert.deepEqual(await agent.process.tellings.next('progress'), { permille: 1000, text: 'half' });
    await agent.process.ask('cancel', { key: 'slow' });
    await outcome;
    assert.equal(await codeOf(app.process.ask('progress', report)), 'NotFound');
    await app.behave(fix('briefly'), {});
  });

  it('[R130] Explain decides like Dispatch, and neither runs, asks nor records', async () => {
    const before = [app.invoked.length, person.asked.length, desktop().audit().length];
    assert.deepInclude(await agent.explain(fix('look')), { effect: 'allow', gate: 'automatic', risk: 'low' });
    assert.deepInclude(await agent.explain(fix('write')), { effect: 'ask', stage: 'confirm', gate: 'ask' });
    assert.deepInclude(await agent.explain(fix('delete')), { effect: 'ask', gate: 'confirm', risk: 'high' });
    assert.deepInclude(await agent.explain(fix('none')), {
      effect: 'deny',
      stage: 'resolve',
      code: 'NotFound',
    });
    assert.deepEqual([app.invoked.length, person.asked.length, desktop().audit().length], before);
  });

  it('[R12] what was added after the caller listed is not there for it until it lists again', async () => {
    const late = await desktop().agent();
    await late.list();
    desktop().trust('org.example.Late');
    await desktop().fixture({}, 'org.example.Late');
    const id = fix('look', 'org.example.Late');
    assert.deepInclude(await late.dispatch(id), { status: 'denied', stage: 'resolve', code: 'NotFound' });
    await late.list();
    assert.equal((await late.dispatch(id)).status, 'executed');
  });

  it('[R113] a caller that listed hears what appears and what goes, and only of what it may see', async () => {
    desktop().trust('org.example.Passing');
    await agent.process.ask('follow');
    const passing = await desktop().fixture({}, 'org.example.Passing');
    const appeared = await agent.process.tellings.next<{ added: string[]; removed: string[] }>('changed');
    assert.include(appeared.added, fix('look', 'org.example.Passing'));
    assert.notInclude(appeared.added, fix('privileged', 'org.example.Passing'));
    await passing.process.ask('leave');
    const went = await agent.process.tellings.next<{ added: string[]; removed: string[] }>('changed');
    assert.sameMembers(went.removed, appeared.added);
  });

  it('[R5] the properties say what the broker promises', async () => {
    const [all] = await other.call(propertiesCall('/org/portal/Broker1', BROKER));
    const values = new Map((all as [string, { value: unknown }][]).map(([key, { value }]) => [key, value]));
    assert.deepInclude(Object.fromEntries(values), { Profile: 'standard', Assurance: 'advisory' });
    assert.match(String(values.get('Version')), /^\d+\.\d+\.\d+$/);
  });

  async function ownPath(token: string): Promise<string> {
    const name = (await caller.name()).slice(1).replaceAll('.', '_');
    return `/org/portal/Broker1/request/${name}/${token}`;
  }

  it('[R20] [R21] a full listing shows the schemas and bounds that the manifest declares', async () => {
    const { capabilities } = await agent.list({ detail: 'full', appId: 'org.example.Fixture' });
    const look = capabilities.find((one) => typeof one !== 'string' && one.id === fix('look'));
    assert.isObject(look);
    const declared = (fixtureManifest().capabilities as Json[]).find(({ id }) => id === fix('look'));
    assert.deepInclude(look as never, { parameters: declared?.parameters, returns: declared?.returns });
  });
});
