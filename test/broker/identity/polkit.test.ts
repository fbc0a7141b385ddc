// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import { assert } from 'chai';
import type { DecidingPeer } from '../../../broker/identity/decider.ts';
import { type PolkitOptions, polkitDecider } from '../../../broker/identity/polkit.ts';
import { readStat } from '../../../broker/identity/procfs.ts';
import { type Connection, connect } from '../../../dbus/connection.ts';
import { BUS_NAME } from '../../../dbus/messages.ts';
import { variant } from '../../../dbus/values.ts';
import type { Frame } from '../../../dbus/wire.ts';
import { FalseBus } from '../../dbus/false-bus.ts';
import type { PeerProcess } from '../../support/peer-process.ts';
import { USER, usePolkit } from '../../support/polkit.ts';
import { codeOf } from '../../support/refusals.ts';
import { identityFailureOf } from './identity-failure.ts';

const AGENT_ANSWER = {
  destination: 'org.freedesktop.PolicyKit1',
  path: '/org/freedesktop/PolicyKit1/Authority',
  interface: 'org.freedesktop.PolicyKit1.Authority',
  member: 'AuthenticationAgentResponse2',
  signature: 'us(sa{sv})',
};

interface Asked {
  readonly action: string;
  readonly message: string;
  readonly cookie: string;
}

describe('broker/identity/polkit (as root, with polkitd)', function () {
  this.timeout(60_000);
  const polkit = usePolkit();
  const never = new AbortController().signal;
  const alive: PolkitOptions['alive'] = ({ pid, startTime }) =>
    readStat('/proc', pid)?.startTime === startTime;

  function authenticate(
    peer: DecidingPeer,
    { signal = never, ...more }: Partial<PolkitOptions> & { signal?: AbortSignal } = {},
  ): Promise<string> {
    const open = () => connect({ address: polkit.address });
    const options = { connect: open, timeoutMs: 30_000, alive, firstPersonUid: 1, ...more };
    return polkitDecider(options).authenticate(peer, signal);
  }

  describe('without a question', () => {
    it('[R91] yes: the person is recorded by uid', async () => {
      assert.equal(await authenticate(await polkit.process(USER.allowed)), 'user:1');
    });

    it('[R91] no: nobody decided', async () => {
      const failure = await identityFailureOf(authenticate(await polkit.process(USER.refused)));
      assert.equal(failure.code, 'NotAuthorised');
      assert.include(failure.message, 'rules.d');
    });

    it('[R91] without a rule, whoever has no session at this machine may not decide', async () => {
      const failure = await identityFailureOf(authenticate(await polkit.process(USER.unnamed)));
      assert.equal(failure.code, 'NotAuthorised');
    });

    it('[R91] where a password is wanted and no agent asks for it, nobody decided', async () => {
      const failure = await identityFailureOf(authenticate(await polkit.process(USER.asked)));
      assert.equal(failure.code, 'NotAuthorised');
      assert.include(failure.message, 'authentication agent');
    });

    it('[R91] root is the administrator, and the user of a service is nobody', async () => {
      const root = { pid: process.pid, startTime: readStat('/proc', process.pid)?.startTime ?? '', uid: 0 };
      assert.equal(await authenticate(root), 'user:0');
      const service = await identityFailureOf(
        authenticate(await polkit.process(USER.allowed), { firstPersonUid: 1000 }),
      );
      assert.equal(service.code, 'NotAPerson');
    });

    it('[R91] the broker of the same user may ask, and only about that user', async () => {
      const broker = await polkit.peer(USER.allowed);
      const { end: _, ...own } = await polkit.process(USER.allowed);
      assert.equal(await broker.ask('decide', own), 'user:1');
      const { end: __, ...other } = await polkit.process(USER.asked);
      assert.equal(await codeOf(broker.ask('decide', other)), 'NoAuthority');
    });
  });

  describe('with a person who is asked', () => {
    let agent: PeerProcess;
    let peer: DecidingPeer & { end(): Promise<void> };
    let root: Connection;
    beforeEach(async () => {
      agent = await polkit.peer(USER.asked);
      peer = await polkit.process(USER.asked);
      await agent.ask('register', { pid: peer.pid, startTime: peer.startTime });
      root = await connect({ address: polkit.address });
    });
    afterEach(() => root.close());

    const asked = () => agent.tellings.next<Asked>('asked');
    /** As polkit's own helper does, once the password was right. */
    async function passwordIsRight(cookie: string, uid: number = USER.asked): Promise<void> {
      const identity = ['unix-user', { uid: variant('u', uid) }];
      await root.call({ ...AGENT_ANSWER, body: [USER.asked, cookie, identity] });
    }

    it('[R91] the person authenticates for this one decision, and for the next one again', async () => {
      for (const _ of [1, 2]) {
        const decided = authenticate(peer);
        const { action, message, cookie } = await asked();
        assert.equal(action, 'org.portal.Broker1.decide');
        assert.equal(message, 'Authenticate to decide what an agent may do on your desktop');
        await passwordIsRight(cookie);
        await agent.ask('finish');
        assert.equal(await decided, 'user:3');
      }
    });

    it('[R91] an agent that ends the dialog without a password proves nothing', async () => {
      const decided = identityFailureOf(authenticate(peer));
      await asked();
      await agent.ask('finish');
      const { code, message } = await decided;
      assert.deepEqual([code, message.startsWith('not authenticated')], ['NotAuthorised', true]);
    });

    it('[R91] the person closes the dialog', async () => {
      const decided = identityFailureOf(authenticate(peer));
      await asked();
      await agent.ask('finish', { dismissed: true });
      const { code, message } = await decided;
      assert.deepEqual([code, message.includes('dismissed')], ['NotAuthorised', true]);
    });

    it('[R91] another process of the same user is not covered by it', async () => {
      const other = await polkit.process(USER.asked);
      const decided = authenticate(peer);
      const { cookie } = await asked();
      assert.equal((await identityFailureOf(authenticate(other))).code, 'NotAuthorised');
      await passwordIsRight(cookie);
      await agent.ask('finish');
      await decided;
      assert.equal((await identityFailureOf(authenticate(other))).code, 'NotAuthorised');
    });

    it('[R91] when nobody waits any more the dialog closes', async () => {
      const gone = new AbortController();
      const decided = identityFailureOf(authenticate(peer, { signal: gone.signal }));
      const { cookie } = await asked();
      gone.abort();
      assert.equal((await decided).code, 'Unanswered');
      assert.equal(await agent.tellings.next('withdrawn'), cookie);
    });

    it('[R91] when the time is over the dialog closes', async () => {
      const decided = identityFailureOf(authenticate(peer, { timeoutMs: 1500 }));
      const { cookie } = await asked();
      assert.equal((await decided).code, 'Unanswered');
      assert.equal(await agent.tellings.next('withdrawn'), cookie);
    });

    it('[R91] a yes for a process that ended meanwhile is none', async () => {
      const decided = identityFailureOf(authenticate(peer));
      const { cookie } = await asked();
      await peer.end();
      await passwordIsRight(cookie);
      await agent.ask('finish');
      assert.equal((await decided).code, 'changed');
    });

    it('[R91] polkit ends while the person is asked', async () => {
      const decided = identityFailureOf(authenticate(peer));
      await asked();
      await polkit.stop();
      assert.equal((await decided).code, 'NoAuthority');
      await polkit.start();
      assert.equal(await authenticate(await polkit.process(USER.allowed)), 'user:1');
    });
  });

  describe('which process it is', () => {
    it('[R91] one that is not the one that connected is not even asked about', async () => {
      const peer = await polkit.process(USER.allowed);
      const opened: string[] = [];
      const open = () => {
        opened.push('opened');
        return connect({ address: polkit.address });
      };
      const earlier = { ...peer, startTime: String(BigInt(peer.startTime) - 1n) };
      assert.equal((await identityFailureOf(authenticate(earlier, { connect: open }))).code, 'changed');
      assert.deepEqual(opened, []);
    });

    it('[R91] the yes counts only while it still is that process', async () => {
      const looks = [true, false];
      const failure = await identityFailureOf(
        authenticate(await polkit.process(USER.allowed), { alive: () => looks.shift() ?? false }),
      );
      assert.deepEqual([failure.code, looks], ['changed', []]);
    });

    it('[R91] polkit itself refuses a start time that is another process’s', async () => {
      const peer = await polkit.process(USER.allowed);
      const earlier = { ...peer, startTime: String(BigInt(peer.startTime) - 1n) };
      const failure = await identityFailureOf(authenticate(earlier, { alive: () => true }));
      assert.equal(failure.code, 'NoAuthority');
      assert.include(String(failure.cause), 'has been replaced');
    });

    it('[R91] polkit answers for the user who connected, whatever the process has become', async () => {
      const becameAnother = { ...(await polkit.process(USER.allowed)), uid: USER.refused };
      assert.equal((await identityFailureOf(authenticate(becameAnother))).code, 'NotAuthorised');
    });
  });

  describe('whose answer counts', () => {
    let bus: FalseBus;
    beforeEach(async () => {
      bus = await FalseBus.start();
    });
    afterEach(() => bus.stop());

    /** Lets the decider ask and answers, in this order, as whoever is named. */
    async function answered(...answers: readonly (readonly [sender: string, result: unknown])[]) {
      const decided = authenticate(await polkit.process(USER.allowed), { connect: async () => bus.client });
      const owner = await bus.next(({ member }) => member === 'GetNameOwner');
      bus.send({ ...reply(owner, BUS_NAME), signature: 's', body: [':1.20'] });
      const check = await bus.next(({ member }) => member === 'CheckAuthorization');
      for (const [sender, result] of answers)
        bus.send({ ...reply(check, sender), signature: '(bba{ss})', body: [result] });
      return decided;
    }
    const reply = ({ serial }: Frame, sender: string) => ({
      type: 2,
      serial: 9,
      replySerial: serial,
      sender,
    });
    const [yes, no] = [
      [true, false, []],
      [false, false, []],
    ];

    it('[R91] a forged yes of another peer is no answer', async () => {
      const forged = answered([':1.66', yes], ['org.freedesktop.PolicyKit1', yes], [':1.20', no]);
      assert.equal((await identityFailureOf(forged)).code, 'NotAuthorised');
    });

    it('[R91] a forged no of another peer is none either', async () => {
      assert.equal(await answered([':1.66', no], [':1.20', yes]), 'user:1');
    });
  });

  describe('when polkit cannot be asked', () => {
    it('[R91] nobody decides without a system bus', async () => {
      const peer = await polkit.process(USER.allowed);
      for (const address of ['unix:path=/nonexistent/bus', 'tcp:host=localhost']) {
        const failure = await identityFailureOf(authenticate(peer, { connect: () => connect({ address }) }));
        assert.equal(failure.code, 'NoAuthority');
      }
    });

    it('[R91] nobody waits longer than that for a bus that says nothing, and what comes late is closed', async () => {
      const late = Promise.withResolvers<Connection>();
      const peer = await polkit.process(USER.allowed);
      const failure = await identityFailureOf(
        authenticate(peer, { connect: () => late.promise, timeoutMs: 1 }),
      );
      assert.equal(failure.code, 'Unanswered');
      const connection = await connect({ address: polkit.address });
      late.resolve(connection);
      assert.isUndefined(await connection.closed);
    });

    it('[R91] nor is a bus asked for somebody who left already', async () => {
      const opened: string[] = [];
      const open = () => {
        opened.push('opened');
        return connect({ address: polkit.address });
      };
      const peer = await polkit.process(USER.allowed);
      const signal = AbortSignal.abort();
      const failure = await identityFailureOf(authenticate(peer, { connect: open, signal }));
      assert.deepEqual([failure.code, opened], ['Unanswered', []]);
    });

    it('[R91] nobody decides while polkit is not there, and it counts again once it is', async () => {
      const peer = await polkit.process(USER.allowed);
      await polkit.stop();
      const failure = await identityFailureOf(authenticate(peer));
      assert.deepEqual([failure.code, failure.message.includes('running')], ['NoAuthority', true]);
      await polkit.start();
      assert.equal(await authenticate(peer), 'user:1');
    });
  });

  describe('when the bus starts polkit', () => {
    const activated = usePolkit({ activated: true });

    it('[R91] the first question starts it', async () => {
      const open = () => connect({ address: activated.address });
      const peer = await activated.process(USER.allowed);
      assert.equal(await authenticate(peer, { connect: open }), 'user:1');
    });
  });

  it('the action file is what polkit’s own tool reads', () => {
    const text = execFileSync('pkaction', ['--verbose', '--action-id', 'org.portal.Broker1.decide'], {
      env: { PATH: process.env.PATH, DBUS_SYSTEM_BUS_ADDRESS: polkit.address },
      encoding: 'utf8',
    });
    const lines = text.split('\n').map((line) => line.trim().split(/:\s+/));
    const shown = Object.fromEntries(lines.filter(([, value]) => value !== undefined));
    assert.deepInclude(shown, {
      vendor: 'Portal capability broker',
      'implicit any': 'no',
      'implicit inactive': 'no',
      'implicit active': 'auth_self',
    });
  });
});
