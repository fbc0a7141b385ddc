// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import type { Message } from 'dbus-native';
import { BROKER, BUS_NAME as BROKER_NAME, CONFIRMER, PROVIDER, REQUEST } from '../../broker/bus/names.ts';
import { BUS_NAME, BUS_PATH } from '../../dbus/messages.ts';
import { variant } from '../../dbus/values.ts';
import { RawPeer as Attacker } from '../dbus/raw-peer.ts';
import { useDesktop } from '../support/desktop.ts';
import { fix } from '../support/fixture-app.ts';
import type { AgentPeer, AppPeer, PersonPeer } from '../support/peers.ts';

const SIGNAL = 4;
const REPLY = 2;
const ERROR = 3;
const write = fix('write');
const FORGED = JSON.stringify({ success: true, data: { echo: { text: 'forged' } } });

describe('forged messages, over the bus', () => {
  const desktop = useDesktop();
  let app: AppPeer;
  let agent: AgentPeer;
  let person: PersonPeer;
  let attacker: Attacker;
  let broker: string;

  before(async () => {
    [app, agent, person] = await Promise.all([desktop().fixture(), desktop().agent(), desktop().person()]);
    await person.confirm([{}]);
    await agent.list();
    attacker = await Attacker.open(desktop().address);
    broker = await ownerOf(BROKER_NAME);
  });

  after(async () => {
    await attacker.close();
  });

  async function callBus(member: string, signature: string, body: unknown[]): Promise<Message> {
    const call = {
      type: 1,
      destination: BUS_NAME,
      path: BUS_PATH,
      interface: BUS_NAME,
      member,
      signature,
      body,
    };
    return await attacker.answerTo(attacker.send(call));
  }

  async function ownerOf(name: string): Promise<string> {
    return String((await callBus('GetNameOwner', 's', [name])).body?.[0]);
  }

  /** Lets the attacker see calls that are none of its business, which a bus without a policy allows, and with them their serials. */
  async function eavesdrop(interfaceName: string, member: string): Promise<() => Promise<Message>> {
    const rule = `eavesdrop='true',type='method_call',interface='${interfaceName}',member='${member}'`;
    await callBus('AddMatch', 's', [rule]);
    const seen = attacker.received.length;
    return async () => {
      for (;;) {
        const found = attacker.received.slice(seen).find((message) => message.member === member);
        if (found !== undefined) return found;
        await callBus('GetId', '', []);
      }
    };
  }

  async function uniqueNames(): Promise<readonly string[]> {
    const [names] = (await callBus('ListNames', '', [])).body ?? [];
    return (names as readonly string[]).filter((name) => name.startsWith(':'));
  }

  /** Everything the attacker sent so far has reached the broker. */
  async function arrived(): Promise<void> {
    const ping = {
      type: 1,
      destination: broker,
      path: '/',
      interface: 'org.freedesktop.DBus.Peer',
      member: 'Ping',
    };
    await attacker.answerTo(attacker.send(ping));
  }

  it('[R69] an answer to Invoke counts from the app alone, even under the right serial', async () => {
    await app.behave(fix('look'), { delayMs: 700 });
    const invoked = await eavesdrop(PROVIDER, 'Invoke');
    const outcome = agent.dispatch(fix('look'), { text: 'genuine' });
    const call = await invoked();
    const forged = { destination: broker, replySerial: call.serial ?? 0, signature: 's' };
    attacker.send({ ...forged, type: REPLY, body: [FORGED] });
    attacker.send({
      ...forged,
      type: ERROR,
      errorName: 'org.portal.Broker1.Error.ExecutionFailed',
      body: ['{}'],
    });
    await arrived();
    assert.deepEqual((await outcome).result, { echo: { text: 'genuine' } });
    await app.behave(fix('look'), {});
  });

  it('[R69] nor by trying serials, ten thousand of them', async () => {
    await app.behave(fix('look'), { delayMs: 700 });
    const outcome = agent.dispatch(fix('look'), { text: 'genuine' });
    await app.nextInvoked(fix('look'));
    for (let guess = 1; guess <= 10_000; guess += 1)
      attacker.send({ type: REPLY, destination: broker, replySerial: guess, signature: 's', body: [FORGED] });
    await arrived();
    assert.deepEqual((await outcome).result, { echo: { text: 'genuine' } });
    await app.behave(fix('look'), {});
  });

  it('[R67] [R91] an answer to Confirm counts from the surface alone, even under the right serial', async () => {
    const confirmed = await eavesdrop(CONFIRMER, 'Confirm');
    const outcome = agent.dispatch(write, { text: 'never' });
    const call = await confirmed();
    const { invocation, digest } = await person.nextAsked(write);
    const yes = [[digest, variant('a{sv}', [['decision', variant('s', 'once')]])]];
    const forged = { type: REPLY, destination: broker, signature: 'a{sv}', body: [yes] };
    attacker.send({ ...forged, replySerial: call.serial ?? 0 });
    await arrived();
    await person.decide(invocation, 'deny');
    assert.equal((await outcome).code, 'PersonDenied');
    assert.equal(app.timesInvoked(write), 0);
  });

  it('[R123] a forged Completed tells the caller nothing, even under the right path', async () => {
    const dispatched = await eavesdrop(BROKER, 'Dispatch');
    const outcome = agent.dispatch(write);
    const { sender = '', body = [] } = await dispatched();
    const { invocation } = await person.nextAsked(write);
    const token = (body[2] as { handle_token: string }).handle_token;
    assert.match(token, /^[0-9a-f]{32}$/);
    attacker.send({
      type: SIGNAL,
      destination: sender,
      path: `/org/portal/Broker1/request/${sender.slice(1).replaceAll('.', '_')}/${token}`,
      interface: REQUEST,
      member: 'Completed',
      signature: 'ss',
      body: [
        'executed',
        JSON.stringify({ invocation, status: 'executed', stage: 'outcome', result: 'forged' }),
      ],
    });
    await arrived();
    await person.decide(invocation, 'deny');
    assert.equal((await outcome).status, 'denied');
  });

  it('[R69] a forged NameOwnerChanged ends neither the app’s registration, nor the caller’s request, nor the broker', async () => {
    const names = (await uniqueNames()).filter((name) => name !== attacker.name);
    const outcome = agent.dispatch(write);
    const { invocation } = await person.nextAsked(write);
    const gone = {
      type: SIGNAL,
      path: BUS_PATH,
      interface: BUS_NAME,
      member: 'NameOwnerChanged',
      signature: 'sss',
    };
    for (const destination of names) {
      for (const name of names) attacker.send({ ...gone, destination, body: [name, name, ''] });
      attacker.send({ ...gone, destination, body: [BROKER_NAME, broker, ''] });
      attacker.send({ ...gone, destination, body: [BROKER_NAME, broker, attacker.name] });
    }
    await arrived();
    await person.decide(invocation, 'once');
    assert.equal((await outcome).status, 'executed');
    assert.equal((await agent.dispatch(fix('look'))).status, 'executed');
  });
});
