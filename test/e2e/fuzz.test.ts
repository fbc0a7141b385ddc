// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import type { Message } from 'dbus-native';
import fc from 'fast-check';
import {
  BROKER,
  BUS_NAME,
  CONFIRMER,
  OPERATOR,
  PROVIDER,
  REGISTRY,
  REQUEST,
  ROOT_PATH,
} from '../../broker/bus/names.ts';
import type { MethodCall } from '../../dbus/connection.ts';
import { RawPeer as Attacker } from '../dbus/raw-peer.ts';
import { dispatchCall, listCall, operatorCall, registerCall } from '../support/broker-calls.ts';
import { argumentsOf } from '../support/bus-values.ts';
import { contractMethods } from '../support/contract.ts';
import { KEY, useDesktop } from '../support/desktop.ts';
import { fixtureManifest, signed } from '../support/fixture-app.ts';
import { PeerError } from '../support/peer-process.ts';
import type { AgentPeer, RawPeer } from '../support/peers.ts';
import { INVALID_ARGS } from '../support/refusals.ts';

const SERVED = contractMethods().filter(({ interface: name }) => name !== PROVIDER && name !== CONFIRMER);
/** A refusal that says why. `Failed` is none: it would mean that something went wrong in the broker itself. */
const TYPED =
  /^org\.(freedesktop\.DBus\.Error\.(InvalidArgs|AccessDenied|LimitsExceeded|UnknownObject)|portal\.Broker1\.Error\.(?!Failed$)[A-Z]\w+)$/;

describe('any arguments to every method, over the bus', () => {
  const desktop = useDesktop({ config: { confirm: { deadline_ms: 200, arming_ms: 0, reoffer_ms: 50 } } });
  let agent: AgentPeer;
  let attacker: Attacker;

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

  async function errorOf(message: Message): Promise<string | undefined> {
    return (await attacker.answerTo(attacker.send(message))).errorName;
  }

  it('the contract is there to be attacked', () => {
    const names = new Set(SERVED.map(({ interface: name }) => name));
    assert.sameMembers([...names], [BROKER, REGISTRY, OPERATOR, REQUEST]);
    assert.isAtLeast(SERVED.length, 17);
  });

  it('[R62] [R71] every method refuses every other signature than its own', async () => {
    const signatures: readonly [string, unknown[]][] = [
      ['', []],
      ['s', ['x']],
      ['u', [1]],
      ['v', [['s', 'x']]],
      ['as', [['x']]],
      ['h', [0]],
      ['ay', [Buffer.from('x')]],
      ['ss', ['x', 'x']],
      ['sss', ['x', 'x', 'x']],
      ['(ss)', [['x', 'x']]],
      ['a{ss}', [[['x', 'x']]]],
      ['ssa{ss}', ['x', 'x', [['x', 'x']]]],
    ];
    for (const { interface: name, member, in: own } of SERVED) {
      if (name === REQUEST) continue; // of no object that the attacker has
      for (const [signature, body] of signatures) {
        if (signature === own) continue;
        const call = {
          type: 1,
          destination: BUS_NAME,
          path: ROOT_PATH,
          interface: name,
          member,
          signature,
          body,
        };
        assert.equal(await errorOf(call), INVALID_ARGS, `${member} with ${signature}`);
      }
    }
  });

  describe('any arguments of the right signature', () => {
    const roles: readonly [role: string, first: MethodCall, methods: readonly string[]][] = [
      ['an intelligence', dispatchCall('system.health', {}), [BROKER]],
      ['an app', registerCall(signed(fixtureManifest({}, 'org.example.Fuzz'), KEY)), [REGISTRY]],
      ['an operator', operatorCall('Audit', 'a{sv}', [{}]), [OPERATOR]],
      ['an intelligence that tries the rest', dispatchCall('system.health', {}), [REGISTRY, OPERATOR]],
    ];
    for (const [role, first, interfaces] of roles) {
      it(`[R59] [R71] from ${role}: a reply or a refusal that says why`, async () => {
        desktop().trust('org.example.Fuzz');
        const peer = await desktop().raw();
        await peer.call(listCall());
        await peer.call(first);
        for (const { interface: name, member, in: signature } of SERVED) {
          if (!interfaces.includes(name) || signature === '') continue;
          const bodies = fc.sample(argumentsOf(signature), {
            numRuns: name === OPERATOR ? 15 : 40,
            seed: 24,
          });
          const call = { destination: BUS_NAME, path: ROOT_PATH, interface: name, member, signature };
          await Promise.all(bodies.map((body) => replyOrTyped(peer, { ...call, body })));
        }
        await peer.process.stop();
      });
    }

    async function replyOrTyped(peer: RawPeer, call: MethodCall): Promise<void> {
      try {
        await peer.call(call);
      } catch (error) {
        if (!(error instanceof PeerError)) throw error;
        assert.match(error.code, TYPED, `${call.member}: ${error.message}`);
        assert.notMatch(error.message, /[\n\r]/);
      }
    }
  });
});
