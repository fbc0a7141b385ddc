// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { dispatchCall, listCall, options, readReply, registerCall } from '../support/broker-calls.ts';
import { KEY, useDesktop } from '../support/desktop.ts';
import { fix, fixtureCapability, fixtureManifest, signed } from '../support/fixture-app.ts';
import type { AgentPeer, AppPeer, PersonPeer } from '../support/peers.ts';
import { codeOf, INVALID_ARGS } from '../support/refusals.ts';

const brief = fix('brief');

describe('time that is over, over the bus', () => {
  const desktop = useDesktop();
  let app: AppPeer;
  let agent: AgentPeer;
  let person: PersonPeer;

  before(async () => {
    [app, agent, person] = await Promise.all([desktop().fixture(), desktop().agent(), desktop().person()]);
    await person.confirm([{ decision: 'once' }]);
    await agent.list();
  });

  it('[R70] [R137] the caller learns that nobody knows; the late answer reaches nobody; the next call gets its own', async () => {
    await app.behave(brief, { delayMs: 1500 });
    const outcome = await agent.dispatch(brief, { text: 'slow' });
    assert.deepInclude(outcome, { status: 'unknown', stage: 'dispatch', code: 'Timeout' });
    assert.isFalse(outcome.error?.recoverable);
    assert.equal(await app.process.tellings.next('cancelled'), outcome.invocation);
    const second = await agent.dispatch(fix('look'), { text: 'quick' });
    assert.deepEqual(second.result, { echo: { text: 'quick' } });
    // The late answer is given; whatever it could do is done once the broker has answered something sent after it.
    await app.process.tellings.next('answering', (invocation) => invocation === outcome.invocation);
    assert.equal((await agent.dispatch(fix('look'))).status, 'executed');
    assert.deepEqual((await agent.outcome(outcome.invocation))?.status, 'unknown');
    const events = desktop().audit({ invocation: outcome.invocation });
    assert.deepEqual(
      events.map(({ type }) => type),
      ['asked', 'decided', 'requested', 'unknown'],
    );
    await app.behave(brief, {});
  });

  it('[R81] [R137] to try again is to ask again', async () => {
    const before = person.asked.length;
    await app.behave(brief, { hang: true });
    assert.equal((await agent.dispatch(brief)).status, 'unknown');
    await app.behave(brief, {});
    assert.equal((await agent.dispatch(brief)).status, 'executed');
    assert.equal(person.asked.length, before + 2);
  });

  it('[R35] a caller may wait less than the capability declares, and never more or nearly nothing', async () => {
    await app.behave(brief, { hang: true });
    const tight = await agent.dispatch(brief, {}, { timeoutMs: 150 });
    assert.match(tight.error?.message ?? '', /within 150 ms/);
    const wide = await agent.dispatch(brief, {}, { timeoutMs: 60_000 });
    assert.match(wide.error?.message ?? '', /within 600 ms/);
    assert.equal(await codeOf(agent.dispatch(brief, {}, { timeoutMs: 99 })), 'InvalidArgs');
    await app.behave(brief, {});
  });

  it('[R35] bounds that are none, or over the host’s ceiling, are refused in the manifest', async () => {
    const raw = await desktop().raw();
    for (const bounds of [
      { timeout_ms: 0 },
      { timeout_ms: -1 },
      { timeout_ms: 2 ** 31 },
      { timeout_ms: 600_001 },
      { max_result_bytes: 0 },
      { max_result_bytes: 2 ** 20 + 1 },
      { max_invocations_per_turn: 101 },
      { max_invocations_per_turn: 1.5 },
    ]) {
      const capabilities = [fixtureCapability('look', { bounds }, 'org.example.Fixture')];
      const [tier, details] = await raw.call(registerCall(signed(fixtureManifest({ capabilities }), KEY)));
      assert.equal(tier, 2);
      assert.match(JSON.parse(String(details)).reason.pointer, /^\/capabilities\/0\/bounds/);
    }
    await raw.process.stop();
  });

  it('[R123] wait_ms is bounded, and its end is no end of the intent', async () => {
    const raw = await desktop().raw();
    await raw.call(listCall());
    assert.equal(await codeOf(raw.call(dispatchCall(brief, {}, options({ wait_ms: 55_001 })))), INVALID_ARGS);
    await app.behave(brief, { delayMs: 300 });
    const { status } = readReply(await raw.call(dispatchCall(brief, {}, options({ wait_ms: 50 }))));
    assert.equal(status, 'pending');
    await app.behave(brief, {});
    await raw.process.stop();
  });
});

describe('an app that breaks its bounds again and again', () => {
  const desktop = useDesktop({ config: { quotas: { strikes: 3 } } });

  it('[R70] is put out of service, visibly; its callers see nothing of it any more', async () => {
    const [app, agent] = await Promise.all([desktop().fixture(), desktop().agent()]);
    await agent.list();
    await app.behave(fix('briefly'), { result: { success: true, data: { echo: 'wrong' } } });
    for (let time = 1; time <= 3; time += 1)
      assert.deepInclude(await agent.dispatch(fix('briefly')), { status: 'failed', code: 'ResultInvalid' });
    assert.deepInclude(await agent.dispatch(fix('briefly')), { stage: 'resolve', code: 'NotFound' });
    assert.deepInclude(await agent.dispatch(fix('look')), { stage: 'resolve', code: 'NotFound' });
    const { apps } = await agent.list();
    assert.equal(apps[0]?.reason?.code, 'Quarantined');
    assert.equal(desktop().audit({ type: 'unregistered' }).at(-1)?.code, 'Quarantined');
  });

  it('[R70] a caller that will not wait puts nobody out of service', async () => {
    desktop().trust('org.example.Patient');
    const [app, agent] = await Promise.all([desktop().fixture({}, 'org.example.Patient'), desktop().agent()]);
    await agent.list();
    const look = fix('look', 'org.example.Patient');
    await app.behave(look, { delayMs: 400 });
    for (let time = 1; time <= 5; time += 1)
      assert.equal((await agent.dispatch(look, {}, { timeoutMs: 100 })).code, 'Timeout');
    assert.equal((await agent.dispatch(look)).status, 'executed');
  });
});
