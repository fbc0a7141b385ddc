// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { BROKER, OPERATOR, REGISTRY, ROOT_PATH } from '../../broker/bus/names.ts';
import { variant } from '../../dbus/values.ts';
import {
  brokerCall,
  dispatchCall,
  listCall,
  operatorCall,
  options,
  readReply,
  registerCall,
} from '../support/broker-calls.ts';
import { KEY, useDesktop } from '../support/desktop.ts';
import { FIXTURE, fix, fixtureManifest, signed } from '../support/fixture-app.ts';
import type { AppPeer, PersonPeer, RawPeer } from '../support/peers.ts';
import { ACCESS_DENIED, codeOf, INVALID_ARGS } from '../support/refusals.ts';

const DISPATCH = dispatchCall('system.health', {});
const REGISTER = registerCall(signed(fixtureManifest({}, 'org.example.Role'), KEY));
const CONFIRM = operatorCall('RegisterConfirmer', 'oa{sv}', ['/c', {}]);
const AUDIT = operatorCall('Audit', 'a{sv}', [{}]);
const UNDO = operatorCall('Undo', 'sa{sv}', ['none', {}]);

describe('roles, over the bus', () => {
  const desktop = useDesktop();

  /** What one process may do first, and what it then may not, on that connection or on any other. */
  const exclusions = [
    [
      'dispatched',
      DISPATCH,
      [REGISTER, CONFIRM, AUDIT, UNDO, operatorCall('Apps'), operatorCall('VerifyAudit')],
    ],
    [
      'offered capabilities',
      REGISTER,
      [DISPATCH, CONFIRM, AUDIT, UNDO, brokerCall('Undo', 'sa{sv}', ['none', {}])],
    ],
    ['answered for the person', CONFIRM, [DISPATCH, REGISTER, brokerCall('Subscribe', 's', [FIXTURE])]],
    ['looked back', AUDIT, [DISPATCH, REGISTER]],
  ] as const;
  for (const [what, first, forbidden] of exclusions) {
    it(`[R2] [R102] a process that ${what} is refused every other role, and each attempt is recorded`, async () => {
      desktop().trust('org.example.Role');
      const peer = await desktop().raw();
      await peer.call(first);
      for (const call of forbidden) {
        for (const connection of ['main', 'another']) {
          const before = desktop().audit({ type: 'role-refused' }).length;
          assert.equal(await codeOf(peer.call(call, connection)), ACCESS_DENIED, call.member);
          const refused = desktop().audit({ type: 'role-refused' });
          assert.equal(refused.length, before + 1);
          assert.equal(refused.at(-1)?.pid, peer.process.pid);
        }
      }
      await peer.call(first); // it stays what it was
      await peer.process.stop();
    });
  }

  it('[R102] a role stays with the process when its first connection is gone', async () => {
    const peer = await desktop().raw();
    await peer.call(DISPATCH, 'first');
    await peer.process.ask('hangUp', { connection: 'first' });
    assert.equal(await codeOf(peer.call(CONFIRM, 'second')), ACCESS_DENIED);
    assert.equal(await codeOf(peer.call(REGISTER, 'second')), ACCESS_DENIED);
    await peer.process.stop();
  });

  it('[R115] what asks for nothing takes no role: listing, explaining, reading properties', async () => {
    const peer = await desktop().raw();
    await peer.call(listCall());
    await peer.call({ ...DISPATCH, member: 'Explain' });
    assert.equal((await peer.call(REGISTER))[0], 1);
    await peer.process.stop();
  });
});

describe('who says who they are, over the bus', () => {
  const desktop = useDesktop();
  let app: AppPeer;
  let person: PersonPeer;
  let agent: RawPeer;

  before(async () => {
    [app, person, agent] = await Promise.all([desktop().fixture(), desktop().person(), desktop().raw()]);
    await person.confirm([{}]);
    await agent.call(listCall());
  });

  const claims: Readonly<Record<string, string | boolean | number>> = {
    approved: true,
    caller: 'compositor',
    auth_level: 'system',
    decider: 'anna',
    principal: 'desk',
    confirmation_token: 'x',
    confirmed: true,
    level: 'privileged',
    source: 'person',
    uid: 0,
  };
  for (const [claim, value] of Object.entries(claims)) {
    it(`[R67] [R91] an option \`${claim}\` is refused as a call, and recorded`, async () => {
      const before = desktop().audit({ type: 'denied' }).length;
      assert.equal(
        await codeOf(agent.call(dispatchCall(fix('write'), {}, options({ [claim]: value })))),
        INVALID_ARGS,
      );
      const denied = desktop().audit({ type: 'denied' });
      assert.equal(denied.length, before + 1);
      assert.deepInclude(denied.at(-1) as object, {
        stage: 'call',
        code: 'InvalidArgs',
        pid: agent.process.pid,
      });
    });

    it(`[R67] a parameter \`${claim}\` is a schema error`, async () => {
      const reply = await agent.call(
        dispatchCall(fix('write'), { [claim]: value }, options({ wait_ms: 10_000 })),
      );
      assert.deepInclude(readReply(reply).outcome as object, { stage: 'validate', code: 'InvalidParams' });
    });
  }

  it('[R67] [R102] there is no method by which a requester could decide, and none of the operator’s is open to it', async () => {
    const pending = await agent.call(dispatchCall(fix('write'), {}, options({ wait_ms: 0 })));
    const { invocation, digest } = await person.nextAsked();
    const attempts = [
      operatorCall('Approve', 'ssa{sv}', [invocation, digest, {}]),
      operatorCall('AddRule', 's', ['{"effect":"ALLOW"}']),
      operatorCall('AddGrant', 's', ['{}']),
      operatorCall('RegisterConfirmer', 'oa{sv}', ['/c', {}]),
      operatorCall('UnregisterConfirmer'),
      brokerCall('Approve', 's', [invocation]),
    ];
    for (const call of attempts) {
      const code = await codeOf(agent.call(call));
      assert.include([ACCESS_DENIED, 'org.freedesktop.DBus.Error.UnknownMethod'], code, call.member);
    }
    await person.decide(invocation, 'deny');
    assert.equal(readReply(pending).status, 'pending');
    assert.equal(app.timesInvoked(fix('write')), 0);
  });

  it('[R59] the broker’s object under any other interface name does nothing', async () => {
    for (const name of [
      'org.portal.Broker',
      'org.portal.Broker2',
      'org.portal.Broker1.Confirmer',
      'org.portal.Broker1.Provider',
      REGISTRY,
      OPERATOR,
      'org.portal.Broker1.Request',
      '',
    ]) {
      const code = await codeOf(agent.call({ ...dispatchCall(fix('look'), {}), interface: name }));
      assert.match(code, /Unknown(Method|Interface)$|InvalidArgs$/, name);
    }
    for (const path of ['/', '/org/portal', `${ROOT_PATH}/request`, '/org/portal/provider']) {
      assert.match(
        await codeOf(agent.call({ ...dispatchCall(fix('look'), {}), path })),
        /UnknownObject$/,
        path,
      );
    }
    assert.deepEqual(app.invoked, []);
  });

  it('[R59] properties are what they are: nobody sets one', async () => {
    for (const [property, value] of [
      ['Profile', 'none'],
      ['Assurance', 'enforced'],
      ['Version', '9'],
      ['Epoch', '9'],
    ]) {
      const call = {
        ...listCall(),
        interface: 'org.freedesktop.DBus.Properties',
        member: 'Set',
        signature: 'ssv',
      };
      const body = [BROKER, property, variant('s', value)];
      assert.match(await codeOf(agent.call({ ...call, body })), /PropertyReadOnly$/);
    }
  });

  it('[R48] the app answers nobody but the broker', async () => {
    const names = await agent.call({
      destination: 'org.freedesktop.DBus',
      path: '/org/freedesktop/DBus',
      interface: 'org.freedesktop.DBus',
      member: 'ListNames',
    });
    const unique = (names[0] as string[]).filter((name) => name.startsWith(':'));
    let refused = 0;
    for (const destination of unique) {
      const call = {
        destination,
        path: '/org/portal/provider',
        interface: 'org.portal.Broker1.Provider',
        member: 'Invoke',
        signature: 'sssa{sv}',
        body: ['i', fix('write'), '{}', {}],
        timeoutMs: 3000,
      };
      if (destination === (await agent.name())) continue;
      if ((await codeOf(agent.call(call))) === ACCESS_DENIED) refused += 1;
    }
    assert.equal(refused, 1, 'the app is among them');
    assert.deepEqual(app.invoked, []);
  });
});
