// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { CallError } from '../../../broker/bus/errors.ts';
import { Requests, seesPath } from '../../../broker/bus/requests.ts';
import type { Outcome } from '../../../broker/intent/outcome.ts';
import type { IncomingCall, OutgoingSignal } from '../../../dbus/connection.ts';
import { session } from '../session.ts';

const DONE: Outcome = { invocation: 'i', status: 'executed', stage: 'outcome' };

describe('Requests', () => {
  let paths: Set<string>;
  let signals: OutgoingSignal[];
  let requests: Requests;

  beforeEach(() => {
    paths = new Set();
    signals = [];
    requests = new Requests({
      bus: { emit: (signal) => void signals.push(signal) },
      tree: {
        add: (path) => {
          if (paths.has(path)) throw new Error('taken');
          paths.add(path);
          return () => void paths.delete(path);
        },
      },
      newToken: () => 'minted',
      mostPerConnection: 3,
      mostUnmatched: 2,
      lingerMs: 60_000,
    });
  });

  const refused = (step: () => unknown): string => {
    try {
      step();
    } catch (error) {
      if (error instanceof CallError) return error.code;
      throw error;
    }
    return 'accepted';
  };

  it('[R123] are objects under a path that the caller can know beforehand', () => {
    const caller = session(':1.42');
    assert.equal(requests.open(caller, 'mine', 'i1').path, '/org/portal/Broker1/request/1_42/mine');
    assert.equal(requests.open(caller, undefined, 'i2').path, '/org/portal/Broker1/request/1_42/minted');
    assert.equal(requests.byInvocation('i1')?.path, '/org/portal/Broker1/request/1_42/mine');
  });

  it('[R123] answered at once, one needs no object afterwards and no signal', () => {
    const request = requests.open(session(':1.42'), 'a', 'i');
    assert.deepEqual(request.finish(DONE, '{}'), [request.path, 'executed', '{}']);
    assert.deepEqual(signals, []);
    assert.isFalse(paths.has(request.path));
    assert.isUndefined(requests.byInvocation('i'));
  });

  it('[R123] answered `pending`, its outcome follows once, to its caller alone, and it can still be looked at', () => {
    const request = requests.open(session(':1.42'), 'a', 'i');
    assert.deepEqual(request.replyPending(), [request.path, 'pending', '']);
    assert.deepEqual([request.status, request.outcome], ['pending', '']);
    request.finish(DONE, '{}');
    assert.deepEqual(
      signals.map(({ destination, member, body }) => [destination, member, body]),
      [[':1.42', 'Completed', ['executed', '{}']]],
    );
    assert.isTrue(paths.has(request.path));
    assert.deepEqual([request.status, request.outcome], ['executed', '{}']);
    requests.forget(':1.42');
    assert.isFalse(paths.has(request.path));
  });

  it('[R123] over at the last moment, it is answered with its outcome', () => {
    const request = requests.open(session(':1.42'), 'a', 'i');
    request.finish(DONE, '{}');
    assert.deepEqual(request.replyPending(), [request.path, 'executed', '{}']);
    assert.deepEqual(signals, []);
  });

  it('[R123] a token is in use until its outcome, and free after it', () => {
    const caller = session(':1.42');
    const request = requests.open(caller, 'a', 'i1');
    assert.equal(
      refused(() => requests.open(caller, 'a', 'i2')),
      'InvalidArgs',
    );
    request.replyPending();
    request.finish(DONE, '{}');
    assert.equal(requests.open(caller, 'a', 'i3').status, 'pending');
    requests.forget(':1.42');
    assert.isTrue(paths.has(request.path), 'the new one is not the old one’s to remove');
  });

  it('[R106] are only so many of one connection', () => {
    const caller = session(':1.42');
    const open = ['a', 'b', 'c'].map((token) => requests.open(caller, token, token));
    assert.equal(
      refused(() => requests.open(caller, 'd', 'd')),
      'LimitsExceeded',
    );
    open[0]?.finish(DONE, '{}');
    assert.equal(
      refused(() => requests.open(caller, 'd', 'd')),
      'accepted',
    );
  });

  it('[R106] are only so many of all peers of a user that nothing names, and each gives its share back', () => {
    const unmatched = { id: 'unmatched:1000' };
    const [one, two] = [session(':1.1', unmatched), session(':1.2', unmatched)];
    const first = requests.open(one, 'a', 'i1');
    requests.open(two, 'a', 'i2');
    assert.equal(
      refused(() => requests.open(session(':1.3', unmatched), 'a', 'i3')),
      'LimitsExceeded',
    );
    assert.equal(
      refused(() => requests.open(session(':1.4'), 'a', 'i4')),
      'accepted',
    );
    first.finish(DONE, '{}');
    assert.equal(
      refused(() => requests.open(one, 'b', 'i5')),
      'accepted',
    );
    // A refused one takes nothing.
    for (let count = 0; count < 5; count += 1)
      assert.notEqual(
        refused(() => requests.open(one, 'b', 'again')),
        'accepted',
      );
    for (const { requests: own } of [one, two]) for (const request of own.values()) request.withdraw();
    for (const invocation of ['i2', 'i5']) requests.byInvocation(invocation)?.finish(DONE, '{}');
    assert.equal(
      refused(() => requests.open(one, 'c', 'i6')),
      'accepted',
    );
    assert.equal(
      refused(() => requests.open(two, 'c', 'i7')),
      'accepted',
    );
  });

  it('[R90] withdrawn, one aborts what it waits for', () => {
    const caller = session(':1.42');
    const request = requests.open(caller, 'a', 'i');
    for (const own of caller.requests.values()) own.withdraw();
    assert.isTrue(request.signal.aborted);
  });

  it('[R90] are not opened for a connection that is gone', () => {
    const caller = session(':1.42');
    caller.gone = true;
    assert.equal(
      refused(() => requests.open(caller, 'a', 'i')),
      'AccessDenied',
    );
    assert.deepEqual([...paths], []);
  });

  it('[R123] of a connection that is gone none stays', () => {
    const caller = session(':1.42');
    const request = requests.open(caller, 'a', 'i');
    request.replyPending();
    caller.gone = true;
    request.finish(DONE, '{}');
    assert.deepEqual([...paths], []);
  });

  it('[R123] are seen by their caller alone, and everything else by everybody', () => {
    const from = (sender: string) => ({ sender }) as IncomingCall;
    assert.isTrue(seesPath('/org/portal/Broker1/request/1_42/a', from(':1.42')));
    assert.isFalse(seesPath('/org/portal/Broker1/request/1_42/a', from(':1.4')));
    assert.isFalse(seesPath('/org/portal/Broker1/request/1_4', from(':1.4')));
    assert.isTrue(seesPath('/org/portal/Broker1', from(':1.4')));
  });
});
