// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import type { Message } from 'dbus-native';
import { marshall } from 'dbus-native/lib/message.js';
import fc from 'fast-check';
import { BUS_NAME, CONFIRMER, PROVIDER, ROOT_PATH } from '../../broker/bus/names.ts';
import type { MethodCall } from '../../dbus/connection.ts';
import { RawPeer as Attacker } from '../dbus/raw-peer.ts';
import { dispatchCall, listCall, registerCall } from '../support/broker-calls.ts';
import { argumentsOf } from '../support/bus-values.ts';
import { contractMethods } from '../support/contract.ts';
import { KEY, useDesktop } from '../support/desktop.ts';
import { FIXTURE, fix, fixtureManifest, signed } from '../support/fixture-app.ts';
import type { AgentPeer } from '../support/peers.ts';
import { INVALID_ARGS, LIMITS_EXCEEDED } from '../support/refusals.ts';

const MIB = 2 ** 20;
const UNREGISTER = { ...registerCall(''), member: 'Unregister', signature: '', body: [] };
const SERVED = contractMethods().filter(({ interface: name }) => name !== PROVIDER && name !== CONFIRMER);

describe('hostile messages, over the bus', () => {
  const desktop = useDesktop({ config: { confirm: { deadline_ms: 200, arming_ms: 0, reoffer_ms: 50 } } });
  let agent: AgentPeer;
  let attacker: Attacker;
  let serial = 1_000_000;

  before(async () => {
    agent = await desktop().agent();
    await desktop().fixture();
    await agent.list();
  });

  beforeEach(async () => {
    attacker = await Attacker.open(desktop().address);
  });

  // After each of these: the same process still owns the name, and does its work for others.
  afterEach(async () => {
    await attacker.close();
    await desktop().ping();
    assert.equal((await agent.dispatch('system.health')).status, 'executed');
    assert.isTrue(desktop().broker.running);
    assert.notInclude(desktop().broker.log, '"msg":"fault"');
  });

  function wire({
    destination,
    path,
    interface: name,
    member,
    signature = '',
    body = [],
  }: MethodCall): Message {
    return { type: 1, destination, path, interface: name, member, signature, body: [...body] };
  }

  async function errorOf(message: Message): Promise<string | undefined> {
    return (await attacker.answerTo(attacker.send(message))).errorName;
  }

  it('[R71] options by the ten thousand, and options by strange names', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => [`o${index}`, ['s', 'x']]);
    const over = { ...wire(dispatchCall(fix('look'), {})), body: [fix('look'), '{}', many(10_000)] };
    assert.include([INVALID_ARGS, LIMITS_EXCEEDED], await errorOf(over));
    for (const options of [
      many(1000),
      [['__proto__', ['s', 'x']]],
      [['constructor', ['s', 'x']]],
      [['', ['s', 'x']]],
      [['x'.repeat(MIB), ['s', 'x']]],
      [
        ['wait_ms', ['u', 1]],
        ['wait_ms', ['u', 2]],
      ],
      [['handle_token', ['s', 'x'.repeat(65)]]],
      [['handle_token', ['s', 'x'.repeat(MIB)]]],
      [['handle_token', ['s', '']]],
      [['handle_token', ['s', '../../x']]],
      [['handle_token', ['h', 0]]],
      [['wait_ms', ['s', '0']]],
      [['wait_ms', ['d', 1.5]]],
      [['wait_ms', ['i', -1]]],
      [['reason', ['s', 'x'.repeat(4097)]]],
      [['evidence', ['as', Array.from({ length: 33 }, () => 'x')]]],
      [['evidence', ['s', 'x']]],
      [['context', ['s', 'awake']]],
      [['session', ['s', 'a b']]],
    ])
      assert.equal(
        await errorOf({ ...wire(dispatchCall(fix('look'), {})), body: [fix('look'), '{}', options] }),
        INVALID_ARGS,
        JSON.stringify(options).slice(0, 60),
      );
  });

  it('[R71] 4 MiB of variants in an option', async () => {
    serial += 1;
    // An array of bytes is laid out like one of variants that hold a byte each: 01 `y` 00 VALUE.
    const variants = Buffer.alloc(4 * MIB, Buffer.from([1, 0x79, 0, 7]));
    const bytes = marshall({
      ...wire(dispatchCall('x', {})),
      type: 1,
      serial,
      signature: 'ssa{sv}',
      body: ['x', '{}', [['evidence', ['ay', variants]]]],
    });
    bytes.write('av', bytes.indexOf('\x02ay\0') + 1);
    attacker.sendBytes(bytes);
    assert.include([INVALID_ARGS, LIMITS_EXCEEDED], (await attacker.answerTo(serial)).errorName);
  });

  it('[R71] variants as deep as the bus lets them be', async () => {
    let value: unknown = ['y', 1];
    for (let depth = 0; depth < 58; depth += 1) value = ['v', value];
    const body = [fix('look'), '{}', [['reason', ['v', value]]]];
    assert.equal(await errorOf({ ...wire(dispatchCall('x', {})), body }), INVALID_ARGS);
  });

  it('[R35] a message over the limit, to every method', async () => {
    const text = 'x'.repeat(17 * MIB);
    for (const call of [dispatchCall(text, {}), dispatchCall(fix('look'), text), registerCall(text)])
      assert.equal(await errorOf(wire(call)), LIMITS_EXCEEDED, call.member);
  });

  it('[R35] parameters over the limit are refused at their stage', async () => {
    const outcome = await agent.dispatch(fix('look'), { text: 'x'.repeat(MIB) });
    assert.deepInclude(outcome, { stage: 'validate', code: 'InvalidParams' });
  });

  it('[R71] text with a zero byte costs its sender the connection', async () => {
    serial += 1;
    const bytes = marshall({ ...wire(dispatchCall('a?b', {})), type: 1, serial, body: ['a?b', '{}', []] });
    bytes.writeUInt8(0, bytes.indexOf('?'));
    attacker.sendBytes(bytes);
    await attacker.closed;
  });

  it('[R71] calls that want no answer get none, whatever they are', async () => {
    const silent: number[] = [];
    for (const { interface: name, member, in: signature } of SERVED) {
      const bodies = signature === '' ? [[]] : fc.sample(argumentsOf(signature), { numRuns: 5, seed: 7 });
      for (const body of bodies)
        silent.push(
          attacker.send({
            type: 1,
            flags: 1,
            destination: BUS_NAME,
            path: ROOT_PATH,
            interface: name,
            member,
            signature,
            body: [...body].map(plain),
          }),
        );
    }
    const last = attacker.send({
      type: 1,
      destination: BUS_NAME,
      path: ROOT_PATH,
      interface: 'org.freedesktop.DBus.Peer',
      member: 'Ping',
    });
    await attacker.answerTo(last);
    const answered = new Set(attacker.received.map(({ replySerial }) => replySerial));
    assert.deepEqual(
      silent.filter((one) => answered.has(one)),
      [],
    );
  });

  it('[R71] a caller that is gone before its answer', async () => {
    for (let count = 0; count < 50; count += 1) {
      const passing = await Attacker.open(desktop().address);
      for (const call of [dispatchCall('system.health', {}), listCall(), dispatchCall(fix('write'), {})])
        passing.send(wire(call));
      await passing.close();
    }
  });

  it('[R71] replies, errors and signals that answer nothing', async () => {
    for (let count = 0; count < 500; count += 1) {
      attacker.send({ type: 2, destination: BUS_NAME, replySerial: count + 1, signature: 's', body: ['x'] });
      attacker.send({ type: 3, destination: BUS_NAME, replySerial: count + 1, errorName: 'a.b.C' });
      attacker.send({ type: 4, destination: BUS_NAME, path: '/', interface: 'a.b', member: 'C' });
    }
    await errorOf({
      type: 1,
      destination: BUS_NAME,
      path: ROOT_PATH,
      interface: 'org.freedesktop.DBus.Peer',
      member: 'Ping',
    });
  });

  it('[R71] whoever stops reading holds up nobody else', async () => {
    const deaf = await desktop().raw();
    await deaf.call(listCall());
    desktop().trust('org.example.Noisy');
    const noisy = await desktop().raw();
    const [on, off] = [registerCall(signed(fixtureManifest({}, 'org.example.Noisy'), KEY)), UNREGISTER];
    deaf.process.pause();
    try {
      // Each change is told to whoever listed, the deaf one included.
      for (let round = 0; round < 100; round += 1) {
        assert.equal((await noisy.call(on))[0], 1);
        await noisy.call(off);
      }
      assert.equal((await agent.dispatch(fix('look', FIXTURE))).status, 'executed');
    } finally {
      deaf.process.resume();
    }
  });
});

/** The shapes that the attacker's own marshalling takes. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'object' && value !== null && 'signature' in value && 'value' in value)
    return [value.signature, plain(value.value)];
  return value;
}
