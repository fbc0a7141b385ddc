// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import type { Outcome } from '../../broker/client.ts';
import { Desktop } from '../support/desktop.ts';
import { fix, fixtureCapability } from '../support/fixture-app.ts';
import type { AgentPeer, AppPeer } from '../support/peers.ts';

const DISPATCHES = 200;
/** A turn's bound is 100 invocations of one capability, so the writes are spread over several. */
const ACTIONS = ['a', 'b', 'c', 'd'];
const ENDINGS = ['executed', 'failed', 'unknown', 'denied', 'expired'];

/** When to pull the plug: after so many invocations reached the app. In the middle of 200, at the start and near the end. */
const PLUGS = [1, 37, 100, 180];

describe('kill -9 in the middle of 200 writes', () => {
  let desktop: Desktop;
  let app: AppPeer;
  let agent: AgentPeer;
  let recoveredBefore = 0;

  before(async () => {
    desktop = await Desktop.start();
    const capabilities = ACTIONS.map((action) => fixtureCapability(action, { side_effects: 'write' }));
    const person = await desktop.person();
    [app, agent] = await Promise.all([desktop.fixture({ capabilities }), desktop.agent()]);
    await person.confirm([{ decision: 'once' }]);
    await agent.list();
  });

  after(async () => {
    await desktop.stop();
  });

  for (const [round, plug] of PLUGS.entries()) {
    it(`[R116] [R131] [R137] after ${plug} of them: all that ran is on record, and all that began has an end`, async () => {
      const already = app.invoked.length;
      const caller = round === 0 ? agent : await freshAgent();
      const told: Outcome[] = [];
      const dispatching = dispatchAll(caller, told);
      while (app.invoked.length < already + plug) await app.nextInvoked();
      await desktop.broker.end('SIGKILL');
      await dispatching;
      // What still waited for the person would go on waiting for a caller that is there, and run meanwhile.
      caller.process.kill();

      await desktop.restart();
      const ran = app.invoked.map(({ context }) => String(context.invocation));
      assert.isBelow(app.invoked.length - already, DISPATCHES, 'the plug was pulled in the middle');
      const events = desktop.audit();
      const of = (types: readonly string[]) =>
        new Set(events.filter(({ type }) => types.includes(type)).map(({ invocation }) => invocation));
      const requested = of(['requested']);
      const ended = of(ENDINGS);
      assert.deepEqual(
        ran.filter((invocation) => !requested.has(invocation)),
        [],
        'nothing ran without an intent record',
      );
      assert.deepEqual(
        [...requested].filter((invocation) => !ended.has(invocation)),
        [],
        'what began has an end',
      );
      assert.equal(new Set(ran).size, ran.length, 'nothing ran twice');
      const done = told.filter(({ status }) => status === 'executed');
      const executed = of(['executed']);
      assert.deepEqual(
        done.filter(({ invocation }) => !executed.has(invocation)),
        [],
        'what the caller was told is on record',
      );
      const report = desktop.verify();
      assert.deepEqual([report.ok, report.problems, report.unfinished], [true, [], []]);
      const recovered = desktop.audit({ type: 'started' }).at(-1)?.count;
      assert.equal(
        recovered,
        events.filter(({ type, principal }) => type === 'unknown' && principal === undefined).length -
          recoveredBefore,
      );
      recoveredBefore += recovered ?? 0;
      await app.process.tellings.next<{ tier?: number }>('standing', ({ tier }) => tier === 1);
    });
  }

  /** Eight at a time, until all are made or nobody answers any more. */
  async function dispatchAll(caller: AgentPeer, told: Outcome[]): Promise<void> {
    let made = 0;
    const one = async (): Promise<void> => {
      while (made < DISPATCHES) {
        const count = made;
        made += 1;
        told.push(await caller.dispatch(fix(ACTIONS[count % ACTIONS.length] ?? 'a'), { count }));
      }
    };
    await Promise.allSettled(Array.from({ length: 8 }, one));
  }

  /** Another process, since a principal's turn may be used up. */
  async function freshAgent(): Promise<AgentPeer> {
    const fresh = await desktop.agent();
    await fresh.list();
    return fresh;
  }
});
