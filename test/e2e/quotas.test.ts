// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { BUS_NAME } from '../../broker/bus/names.ts';
import { dispatchCall, listCall, options, readReply, registerCall } from '../support/broker-calls.ts';
import { KEY, useDesktop } from '../support/desktop.ts';
import { fix, fixtureManifest, signed } from '../support/fixture-app.ts';
import type { AgentPeer, AppPeer, PersonPeer, RawPeer } from '../support/peers.ts';
import { codeOf, LIMITS_EXCEEDED } from '../support/refusals.ts';

describe('one peer that wants too much', () => {
  const desktop = useDesktop({ config: { quotas: { requests_per_connection: 8, providers: 2 } } });
  let app: AppPeer;
  let agent: AgentPeer;
  let person: PersonPeer;
  let flooder: RawPeer;

  before(async () => {
    [app, agent, person, flooder] = await Promise.all([
      desktop().fixture(),
      desktop().agent(),
      desktop().person(),
      desktop().raw(),
    ]);
    await person.confirm([{}]);
    await Promise.all([agent.list(), flooder.call(listCall())]);
  });

  it('[R106] has so many requests open and no more; others are served meanwhile', async () => {
    let count = 0;
    const ask = () => {
      count += 1; // the same twice would be one question
      return flooder.call(dispatchCall(fix('write'), { count }, options({ wait_ms: 0 })));
    };
    const replies = await Promise.allSettled(Array.from({ length: 50 }, ask));
    const open = replies.flatMap((reply) => (reply.status === 'fulfilled' ? [readReply(reply.value)] : []));
    assert.equal(open.length, 8);
    assert.equal(await codeOf(ask()), LIMITS_EXCEEDED);
    assert.equal((await agent.dispatch(fix('look'))).status, 'executed');
    const questions = [];
    for (const _ of open) questions.push(await person.nextAsked());
    for (const { invocation } of questions) await person.decide(invocation, 'deny');
    while ((await ask().catch(() => undefined)) === undefined) await desktop().ping();
    await person.decide((await person.nextAsked()).invocation, 'deny');
  });

  it('[R106] does not get more by reusing tokens, and what is over takes nothing from it', async () => {
    for (let round = 0; round < 60; round += 1)
      await flooder.call(
        dispatchCall(fix('nothing'), {}, options({ wait_ms: 0, handle_token: `t${round}` })),
      );
    assert.equal(
      readReply(await flooder.call(dispatchCall(fix('look'), {}, options({ wait_ms: 10_000 })))).status,
      'executed',
    );
  });

  it('[R106] as an app is one of only so many', async () => {
    const more = [await desktop().raw(), await desktop().raw()];
    const codes = [];
    for (const [index, raw] of more.entries()) {
      const appId = `org.example.More${index}`;
      desktop().trust(appId);
      codes.push(
        await raw.call(registerCall(signed(fixtureManifest({}, appId), KEY))).then(
          ([tier]) => tier,
          ({ code }: { code: string }) => code,
        ),
      );
    }
    assert.deepEqual(codes, [1, LIMITS_EXCEEDED]);
    await Promise.all(more.map(({ process }) => process.stop()));
  });

  it('[R5] a storm of calls from one connection leaves the service answering others', async () => {
    const connection = await desktop().connect();
    const call = { ...listCall(), destination: BUS_NAME };
    const storm = Promise.allSettled(Array.from({ length: 3000 }, () => connection.call(call)));
    const served = (await agent.dispatch(fix('look'))).status;
    await desktop().ping();
    assert.equal(served, 'executed');
    for (const answer of await storm)
      if (answer.status === 'rejected') assert.equal(answer.reason.name, LIMITS_EXCEEDED);
  });

  it('[R5] connections that come and go by the hundred leave nothing behind them', async () => {
    for (let round = 0; round < 10; round += 1) {
      const names = Array.from({ length: 20 }, (_, index) => `c${round}.${index}`);
      await Promise.all(names.map((name) => flooder.call(listCall(), name)));
      await Promise.all(names.map((name) => flooder.process.ask('hangUp', { connection: name })));
    }
    assert.equal((await agent.dispatch(fix('look'))).status, 'executed');
    assert.isAbove(app.timesInvoked(fix('look')), 0);
  });
});

describe('peers that no configuration names', () => {
  const desktop = useDesktop({
    config: { quotas: { requests_of_unmatched: 4 }, principals: [], locked: [] },
  });

  it('[R31] may ask for what is public, see nothing else, and neither decide nor look back', async () => {
    const [app, stranger, person] = await Promise.all([
      desktop().fixture(),
      desktop().agent(),
      desktop().person(),
    ]);
    const { capabilities } = await stranger.list();
    const ids = capabilities.map((one) => (typeof one === 'string' ? one : one.id));
    assert.sameMembers(ids, ['system.health', fix('anybody')]);
    assert.equal((await stranger.dispatch(fix('anybody'))).status, 'executed');
    assert.deepInclude(await stranger.dispatch(fix('look')), { stage: 'resolve', code: 'NotFound' });
    assert.deepInclude(await stranger.dispatch(fix('write')), { stage: 'resolve', code: 'NotFound' });
    assert.equal(await codeOf(person.confirm([{ decision: 'once' }])), 'AccessDenied');
    assert.equal(await codeOf(person.process.ask('audit', { filter: {} })), 'AccessDenied');
    assert.equal(app.timesInvoked(fix('look')), 0);
  });

  it('[R106] share one quota, however many connections they open, and get it back', async () => {
    const [app, stranger] = await Promise.all([desktop().app(), desktop().raw()]);
    desktop().trust('org.example.Slow');
    await app.serve(signed(fixtureManifest({}, 'org.example.Slow'), KEY));
    const slow = fix('anybody', 'org.example.Slow');
    await app.behave(slow, { delayMs: 400 });
    const ask = async (name: string, token: string) => {
      await stranger.call(listCall(), name);
      return await stranger.call(
        dispatchCall(slow, {}, options({ wait_ms: 10_000, handle_token: token })),
        name,
      );
    };
    for (let round = 0; round < 2; round += 1) {
      const asked = await Promise.allSettled(
        Array.from({ length: 10 }, (_, index) => ask(`c${index}`, 'same')),
      );
      const served = asked.filter(({ status }) => status === 'fulfilled').length;
      assert.equal(served, 4);
    }
    await app.behave(slow, {});
    for (let round = 0; round < 12; round += 1)
      await stranger
        .call(dispatchCall(slow, {}, options({ wait_ms: 0, handle_token: 'again' })), 'c0')
        .catch(() => undefined);
    assert.equal(readReply(await ask('c9', 'last')).status, 'executed');
  });
});
