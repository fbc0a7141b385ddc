// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { CallError } from '../../../broker/bus/errors.ts';
import { type Session, Sessions } from '../../../broker/bus/sessions.ts';
import { IdentityError } from '../../../broker/identity/error.ts';
import type { VanishedListener } from '../../../broker/identity/peer.ts';
import type { Duty } from '../../../broker/identity/roles.ts';
import type { IncomingCall } from '../../../dbus/connection.ts';
import { session } from '../session.ts';

const from = (sender: string) => ({ sender }) as IncomingCall;

describe('Sessions', () => {
  let lookups: string[];
  let events: string[];
  let vanish: VanishedListener;
  let sessions: Sessions;
  let failure: Error | undefined;
  let refusing: Duty | undefined;
  let epoch: number;

  beforeEach(() => {
    lookups = [];
    events = [];
    failure = undefined;
    refusing = undefined;
    epoch = 3;
    sessions = new Sessions({
      peers: {
        lookup: async (name) => {
          lookups.push(name);
          if (failure !== undefined) throw failure;
          return session(name).peer;
        },
        onVanished: (listener) => {
          vanish = listener;
          return () => undefined;
        },
      },
      recognise: (peer) => session(peer.name).principal,
      roles: { claim: (_name, _principal, duty) => (duty === refusing ? 'refused' : 'ok') },
      epoch: () => epoch,
      refused: async (one, duty) => void events.push(`refused ${duty} to ${one.connection}`),
      gone: (one) => void events.push(`gone ${one.connection}`),
    });
  });

  it('[R122] are found out once for each connection, however many calls come at once', async () => {
    const [first, second] = await Promise.all([sessions.of(from(':1.1')), sessions.of(from(':1.1'))]);
    assert.equal(first, second);
    assert.equal(await sessions.of(from(':1.1')), first);
    assert.deepEqual(lookups, [':1.1']);
    assert.equal(sessions.byName(':1.1'), first);
    assert.deepEqual([...sessions.all()], [first as Session]);
  });

  it('[R12] are pinned to the epoch of their first call', async () => {
    const early = await sessions.of(from(':1.1'));
    epoch = 9;
    assert.deepEqual([early.epoch, (await sessions.of(from(':1.2'))).epoch], [3, 9]);
  });

  it('[R122] refuse whoever cannot be told, and try anew at the next call', async () => {
    failure = new IdentityError('vanished', 'the calling connection is gone');
    const refusal = await Promise.resolve(sessions.of(from(':1.1'))).catch((error: unknown) => error);
    assert.instanceOf(refusal, CallError);
    assert.equal((refusal as CallError).code, 'AccessDenied');
    failure = new Error('a fault');
    assert.equal(await Promise.resolve(sessions.of(from(':1.1'))).catch((error: unknown) => error), failure);
    failure = undefined;
    assert.equal((await sessions.of(from(':1.1'))).connection, ':1.1');
  });

  for (const duty of ['dispatch', 'provide', 'decide', 'operate'] as const) {
    it(`[R102] refuse to let one ${duty} that may not, after that is recorded`, async () => {
      const one = await sessions.of(from(':1.1'));
      await sessions.claim(one, duty);
      assert.deepEqual(events, []);
      refusing = duty;
      const refusal = await sessions.claim(one, duty).catch((error: unknown) => {
        events.push('told');
        return error;
      });
      assert.equal((refusal as CallError).code, 'AccessDenied');
      assert.deepEqual(events, [`refused ${duty} to :1.1`, 'told']);
    });
  }

  it('[R90] end with the connection: what it waits for is withdrawn, and whoever knows it is told', async () => {
    const one = await sessions.of(from(':1.1'));
    one.requests.set('a', { withdraw: () => void events.push('withdrawn') });
    vanish(':1.2', undefined);
    assert.deepEqual(events, []);
    vanish(':1.1', one.peer);
    assert.deepEqual(events, ['withdrawn', 'gone :1.1']);
    assert.isTrue(one.gone);
    assert.isUndefined(sessions.byName(':1.1'));
    vanish(':1.1', one.peer);
    assert.lengthOf(events, 2);
  });

  it('[R90] of a connection that is gone can take no role and do nothing that lasts', async () => {
    const one = await sessions.of(from(':1.1'));
    one.requirePresent();
    vanish(':1.1', one.peer);
    assert.throws(() => one.requirePresent(), CallError, 'left the bus');
    for (const duty of ['dispatch', 'provide', 'decide', 'operate'] as const) {
      refusing = duty;
      const refusal = await sessions.claim(one, duty).catch((error: unknown) => error);
      assert.equal((refusal as CallError).code, 'AccessDenied');
    }
    assert.deepEqual(events, ['gone :1.1'], 'no role was asked for');
  });

  it('[R90] are not made for a connection that leaves before it is known', async () => {
    const arriving = Promise.resolve(sessions.of(from(':1.1'))).catch((error: unknown) => error);
    vanish(':1.2', undefined);
    vanish(':1.1', undefined);
    assert.equal(((await arriving) as CallError).code, 'AccessDenied');
    assert.deepEqual([...sessions.all()], []);
    assert.deepEqual(events, []);
  });

  it('[R60] a connection that dreamt once stays asleep', () => {
    const one = session(':1.1');
    assert.deepEqual(
      (['live', 'dream', 'live', 'replay'] as const).map((said) => one.contextOf(said)),
      ['live', 'dream', 'dream', 'dream'],
    );
  });
});
