// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { CallError } from '../../../broker/bus/errors.ts';
import { Events } from '../../../broker/bus/events.ts';
import type { OutgoingSignal } from '../../../dbus/connection.ts';
import type { EventDeclaration } from '../../../manifests/manifest.ts';
import { session } from '../session.ts';

const CHANGED: EventDeclaration = {
  type: 'changed',
  description: 'Changed',
  payloadSchema: undefined,
  digest: 'd',
};
const APP = { appId: 'org.example.App', events: [CHANGED] };

describe('Events', () => {
  let now: number;
  let signals: OutgoingSignal[];
  let events: Events;
  let invalid: boolean;
  let locked: boolean;
  let stopped: string | undefined;
  const [listener, other] = [session(':1.1'), session(':1.2')];

  beforeEach(() => {
    now = 1000;
    signals = [];
    invalid = false;
    locked = false;
    stopped = undefined;
    listener.subscriptions.add(APP.appId);
    events = new Events({
      bus: { emit: (signal) => void signals.push(signal) },
      sessions: { all: () => [listener, other] },
      schemas: {
        validatorForEvent: () => () => (invalid ? { pointer: '/what', keyword: 'type' } : undefined),
      },
      quotas: { eventBytes: 20, eventsPerSecond: 2 },
      now: () => now,
      sessionLocked: () => locked,
      stopped: ({ connection }) => connection === stopped,
    });
  });

  const refused = (type: string, payload: string): string => {
    try {
      events.emit(APP, type, payload);
    } catch (error) {
      if (error instanceof CallError) return error.code;
      throw error;
    }
    return 'sent';
  };

  it('[R151] tell a principal nothing that the person has stopped', () => {
    stopped = listener.connection;
    events.emit(APP, 'changed', '{"what":1}');
    assert.deepEqual(signals, []);
  });

  it('[R135] tell nobody anything while the session is locked', () => {
    locked = true;
    events.emit(APP, 'changed', '{"what":1}');
    assert.deepEqual(signals, []);
    locked = false;
    events.emit(APP, 'changed', '{"what":1}');
    assert.lengthOf(signals, 1);
  });

  it('[R10] go to each subscriber alone, labelled as an app’s word', () => {
    events.emit(APP, 'changed', '{"a":1}');
    assert.deepEqual(
      signals.map(({ destination, member, body }) => [destination, member, body]),
      [[':1.1', 'Event', [APP.appId, 'changed', '{"a":1}', 'low']]],
    );
  });

  it('[R10] are refused undeclared, too large, malformed or not as declared, and then nobody hears of them', () => {
    assert.equal(refused('deleted', '{}'), 'NotFound');
    assert.equal(refused('changed', `"${'\u00e4'.repeat(10)}"`), 'LimitsExceeded', 'bytes, not characters');
    assert.equal(refused('changed', '{"a":1,"a":2}'), 'InvalidParams');
    now += 1000;
    invalid = true;
    assert.equal(refused('changed', '{}'), 'InvalidParams');
    assert.deepEqual(signals, []);
  });

  it('[R106] are counted before they are read, so that malformed ones are no more than others', () => {
    assert.deepEqual(
      [1, 2, 3].map(() => refused('changed', '{"a":1,"a":2}')),
      ['InvalidParams', 'InvalidParams', 'LimitsExceeded'],
    );
  });

  it('[R106] are so many in a second and no more; a new second begins anew', () => {
    assert.deepEqual(
      [1, 2, 3].map(() => refused('changed', '{}')),
      ['sent', 'sent', 'LimitsExceeded'],
    );
    now += 999;
    assert.equal(refused('changed', '{}'), 'LimitsExceeded');
    now += 1;
    assert.equal(refused('changed', '{}'), 'sent');
  });
});
