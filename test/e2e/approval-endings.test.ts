// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { useDesktop } from '../support/desktop.ts';
import { fix } from '../support/fixture-app.ts';
import type { AgentPeer, PersonPeer } from '../support/peers.ts';
import { codeOf } from '../support/refusals.ts';

const mark = fix('mark');

describe('how waiting for the person ends, over the bus', () => {
  const desktop = useDesktop({ config: { confirm: { deadline_ms: 1500, arming_ms: 0, reoffer_ms: 100 } } });
  let agent: AgentPeer;
  let person: PersonPeer;

  before(async () => {
    [agent, person] = await Promise.all([desktop().agent(), desktop().person()]);
    await desktop().fixture();
    await agent.list();
    await person.pending();
  });

  const ask = (path: string) => agent.dispatch(mark, { path });
  const types = (invocation: string) =>
    desktop()
      .audit({ invocation })
      .map(({ type }) => type);

  it('[R82] [R89] nobody answers: it is expired, and cannot be answered any more', async () => {
    const outcome = ask('/tmp/slow');
    const { id, digest } = await person.nextPending();
    assert.deepInclude(await outcome, { status: 'expired', code: 'Expired' });
    assert.equal(await codeOf(person.operate('approvals.approve', id, digest)), 'Stale');
    assert.equal(await codeOf(person.operate('approvals.extend', id)), 'Stale');
    assert.equal((await person.pending(true)).find((row) => row.id === id)?.state, 'expired');
    assert.deepEqual(types(id), ['asked', 'expired']);
  });

  it('[R89] more time is as much again, and what was put off outlasts its first deadline', async () => {
    const outcome = ask('/tmp/extend');
    const { id, expires_at } = await person.nextPending();
    await person.operate('approvals.extend', id);
    const more = await person.nextPending();
    assert.equal(more.expires_at, expires_at + 1500);
    await person.operate('approvals.later', id);
    while (Date.now() <= more.expires_at) await desktop().ping();
    const { state, digest } = await person.nextPending();
    assert.equal(state, 'later');
    await person.operate('approvals.approve', id, digest);
    assert.equal((await outcome).status, 'executed');
  });

  it('[R92] whoever watches hears of each change, and of what was done', async () => {
    const watcher = await desktop().person();
    await watcher.process.ask('followDesk');
    const outcome = ask('/tmp/watched');
    const row = await person.nextPending();
    await watcher.process.tellings.next<readonly string[]>('pendingChanged', (ids) => ids.includes(row.id));
    await person.operate('approvals.approve', row.id, row.digest);
    const { invocation } = await outcome;
    const acted = await watcher.process.tellings.next<{ invocation: string; summary: string }>('acted');
    assert.equal(acted.invocation, invocation);
    assert.include(acted.summary, mark);
    assert.deepEqual(
      watcher.process.tellings.all<{ active: boolean }>('acting').map(({ active }) => active),
      [true, false],
    );
    await watcher.process.stop();
  });

  it('[R83] void at once when its app leaves; another process of it is another provider', async () => {
    const other = 'org.example.Leaving';
    desktop().trust(other);
    const leaving = await desktop().fixture({}, other);
    await agent.list();
    const outcome = agent.dispatch(fix('mark', other), { path: '/tmp/gone' });
    const { id, digest } = await person.nextPending();
    leaving.process.kill();
    assert.deepInclude(await outcome, { status: 'denied', code: 'Void' });
    const next = await desktop().fixture({}, other);
    assert.equal(await codeOf(person.operate('approvals.approve', id, digest)), 'Stale');
    assert.equal(next.timesInvoked(fix('mark', other)), 0);
  });

  it('[R124] the last who could answer leaves: the answer comes soon, and is not a denial by the person', async () => {
    const outcome = ask('/tmp/alone');
    const { id } = await person.nextPending();
    person.process.kill();
    assert.deepInclude(await outcome, { status: 'denied', code: 'NoConfirmer' });
    assert.notInclude(types(id), 'decided');
  });
});
