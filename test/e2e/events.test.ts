// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { BROKER } from '../../broker/bus/names.ts';
import { brokerCall, emitEventCall, listCall, pingCall, registerCall } from '../support/broker-calls.ts';
import { Desktop, KEY, useDesktop } from '../support/desktop.ts';
import { FIXTURE, fixtureManifest, signed } from '../support/fixture-app.ts';
import type { AgentPeer, AppPeer, PersonPeer, RawPeer } from '../support/peers.ts';
import { codeOf } from '../support/refusals.ts';

interface Event {
  readonly appId: string;
  readonly type: string;
  readonly payload: unknown;
  readonly trust: string;
}

describe('events, over the bus', () => {
  const desktop = useDesktop({
    config: { quotas: { events_per_second: 1000, event_bytes: 1000, subscriptions: 3 } },
  });
  let app: AppPeer;
  let agent: AgentPeer;
  let bystander: RawPeer;
  let person: PersonPeer;

  before(async () => {
    [app, agent, bystander, person] = await Promise.all([
      desktop().fixture(),
      desktop().agent(),
      desktop().raw(),
      desktop().person(),
    ]);
    await bystander.hear({ interface: BROKER, member: 'Event' });
    await bystander.call(listCall()); // the broker knows it, and still has nothing for it
  });

  const nextEvent = async (): Promise<Event> => await agent.process.tellings.next<Event>('event');

  it('[R10] [R77] reach who subscribed, with how far to trust them, and nobody else', async () => {
    await app.emit('changed', { what: 'before anybody listened' });
    await agent.process.ask('subscribe', { appId: FIXTURE });
    await app.emit('changed', { what: 'now' });
    assert.deepEqual(await nextEvent(), {
      appId: FIXTURE,
      type: 'changed',
      payload: { what: 'now' },
      trust: 'low',
    });
    await bystander.call(pingCall());
    assert.deepEqual(bystander.heard, []);
  });

  it('[R59] to subscribe is an intent on record, like any other', () => {
    const [requested, executed] = desktop().audit({ capability: 'events.subscribe' });
    assert.equal(requested?.type, 'requested');
    assert.equal(executed?.type, 'executed');
    assert.equal(executed?.pid, agent.process.pid);
  });

  it('[R10] are of declared types, with payloads that match, and small', async () => {
    const refused: readonly [type: string, payload: unknown, code: string][] = [
      ['undeclared', {}, 'NotFound'],
      ['', {}, 'NotFound'],
      ['changed', { what: 5 }, 'InvalidParams'],
      ['changed', { what: 'x', more: 1 }, 'InvalidParams'],
      ['changed', 'text', 'InvalidParams'],
      ['changed', { what: 'x'.repeat(1000) }, 'LimitsExceeded'],
    ];
    for (const [type, payload, code] of refused)
      assert.equal(
        await codeOf(app.emit(type, payload)),
        code,
        `${type} ${JSON.stringify(payload).slice(0, 40)}`,
      );
    await app.emit('changed', { what: 'fine' });
    assert.deepEqual((await nextEvent()).payload, { what: 'fine' });
  });

  it('[R10] malformed payloads are refused before any schema sees them', async () => {
    const raw = await desktop().raw();
    desktop().trust('org.example.Sender');
    await raw.call(registerCall(signed(fixtureManifest({}, 'org.example.Sender'), KEY)));
    for (const payload of [
      '',
      '{',
      '{"what":"a","what":"b"}',
      '{"what":"\\ud800"}',
      `${'['.repeat(50)}${']'.repeat(50)}`,
    ])
      assert.equal(
        await codeOf(raw.call(emitEventCall('changed', payload))),
        'org.portal.Broker1.Error.InvalidParams',
      );
    await raw.process.stop();
  });

  it('[R10] who is no registered app sends none, not even in the name of one', async () => {
    const raw = await desktop().raw();
    assert.equal(
      await codeOf(raw.call(emitEventCall('changed', { what: 'x' }))),
      'org.portal.Broker1.Error.NotAllowed',
    );
    await raw.process.ask('provide', { manifest: JSON.stringify(fixtureManifest()) });
    assert.equal(
      await codeOf(raw.call(emitEventCall('changed', { what: 'x' }))),
      'org.portal.Broker1.Error.NotAllowed',
    );
    await raw.process.stop();
  });

  it('[R15] of an app that is not there cannot be subscribed to', async () => {
    for (const appId of ['org.example.Nobody', '', '../x', 'x'.repeat(300)])
      assert.equal(await codeOf(agent.process.ask('subscribe', { appId })), 'NotFound', appId);
  });

  it('[R90] a subscriber that leaves while the person is asked withdraws the question', async () => {
    const asks = await Desktop.start({ config: { development: { accept_unsigned: false } } });
    try {
      const [unbound, caller, decider] = await Promise.all([asks.fixture(), asks.agent(), asks.person()]);
      await decider.confirm([{}]);
      caller.process.ask('subscribe', { appId: FIXTURE }).catch(() => undefined);
      const asked = await decider.nextAsked();
      assert.deepInclude(asked as object, { capability: 'events.subscribe', target: FIXTURE });
      caller.process.kill();
      assert.equal(await decider.process.tellings.next('withdrawn'), asked.invocation);
      assert.deepEqual(unbound.invoked, []);
    } finally {
      await asks.stop();
    }
  });

  it('[R102] cannot be subscribed to by who offers or decides', async () => {
    await person.confirm([{}]);
    const { process } = person;
    assert.equal(
      await codeOf(process.ask('call', { call: brokerCall('Subscribe', 's', [FIXTURE]) })),
      'org.freedesktop.DBus.Error.AccessDenied',
    );
  });

  it('[R10] end with Unsubscribe, and with the connection', async () => {
    await agent.process.ask('unsubscribe', { appId: FIXTURE });
    await app.emit('changed', { what: 'unheard' });
    await agent.process.ask('subscribe', { appId: FIXTURE });
    await app.emit('changed', { what: 'heard' });
    assert.deepEqual((await nextEvent()).payload, { what: 'heard' });
  });

  it('[R106] a connection follows only so many apps', async () => {
    const apps = [];
    for (const name of ['One', 'Two', 'Three']) {
      desktop().trust(`org.example.${name}`);
      apps.push(await desktop().fixture({}, `org.example.${name}`));
    }
    await agent.process.ask('subscribe', { appId: 'org.example.One' });
    await agent.process.ask('subscribe', { appId: 'org.example.Two' });
    assert.equal(
      await codeOf(agent.process.ask('subscribe', { appId: 'org.example.Three' })),
      'LimitsExceeded',
    );
    await agent.process.ask('subscribe', { appId: 'org.example.Two' });
    await Promise.all(apps.map(({ process }) => process.stop()));
  });
});

describe('an app that sends more events than it may', () => {
  const desktop = useDesktop({ config: { quotas: { events_per_second: 5 } } });

  it('[R106] is told so, and the rest is not delivered', async () => {
    const [app, agent] = await Promise.all([desktop().fixture(), desktop().agent()]);
    await agent.process.ask('subscribe', { appId: FIXTURE });
    const results = await Promise.allSettled(Array.from({ length: 40 }, () => app.emit('changed', {})));
    const sent = results.filter(({ status }) => status === 'fulfilled').length;
    assert.isAtLeast(sent, 5);
    assert.isBelow(sent, 40);
    for (let count = 0; count < sent; count += 1) await agent.process.tellings.next('event');
    await agent.list();
    assert.equal(agent.process.tellings.all('event').length, sent);
  });
});
