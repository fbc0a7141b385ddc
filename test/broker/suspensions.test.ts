// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { EVERYBODY, Suspensions } from '../../broker/suspensions.ts';
import { RecordFixture, rejection } from './audit/fixture.ts';

const AGENT = { id: 'agent:pid:7:99', name: 'agent' };
const OTHER = { id: 'other', name: 'other' };

describe('broker/suspensions', () => {
  let fixture: RecordFixture;
  let suspensions: Suspensions;
  let told: number;

  const open = (): void => {
    suspensions = new Suspensions({
      store: fixture.store,
      records: fixture.records,
      now: () => fixture.clock,
    });
    suspensions.onChange(() => {
      told += 1;
    });
  };
  const recorded = () =>
    fixture.records
      .query({ type: 'policy' })
      .map(({ event }) => ({ code: event?.code, principal: event?.principal, decider: event?.decider }));

  beforeEach(() => {
    fixture = new RecordFixture();
    told = 0;
    open();
  });
  afterEach(() => fixture.remove());

  it('[R151] stops by name, by id, and everybody', async () => {
    assert.isFalse(suspensions.isSuspended(AGENT, fixture.clock));
    await suspensions.suspend('agent', undefined, 'user:1');
    assert.isTrue(suspensions.isSuspended(AGENT, fixture.clock));
    assert.isFalse(suspensions.isSuspended(OTHER, fixture.clock));
    assert.isTrue(await suspensions.resume('agent', 'user:1'));
    assert.isFalse(suspensions.isSuspended(AGENT, fixture.clock));
    await suspensions.suspend(AGENT.id, undefined, 'user:1');
    assert.isTrue(suspensions.isSuspended(AGENT, fixture.clock));
    assert.isFalse(suspensions.isSuspended({ id: 'agent:pid:8:1', name: 'agent' }, fixture.clock));
    await suspensions.suspend(EVERYBODY, undefined, 'user:1');
    assert.isTrue(suspensions.isSuspended(OTHER, fixture.clock));
    assert.equal(told, 4);
  });

  it('[R151] holds at once, before it is on record', () => {
    void suspensions.suspend('agent', undefined, 'user:1');
    assert.isTrue(suspensions.isSuspended(AGENT, fixture.clock));
  });

  it('[R151] survives the process, and says until when', async () => {
    const until = fixture.clock + 60_000;
    await suspensions.suspend('agent', until, 'user:1');
    await suspensions.suspend('other', undefined, 'user:1');
    await suspensions.resume('other', 'user:1');
    fixture.reopen();
    open();
    assert.deepEqual(suspensions.list(fixture.clock), [{ principal: 'agent', until }]);
    assert.isTrue(suspensions.isSuspended(AGENT, until - 1));
    assert.isFalse(suspensions.isSuspended(AGENT, until));
    assert.deepEqual(suspensions.list(until), []);
  });

  it('[R151] is never shortened by stopping again', async () => {
    const until = fixture.clock + 60_000;
    await suspensions.suspend('agent', until, 'user:1');
    await suspensions.suspend('agent', until - 1, 'user:1');
    assert.deepEqual(suspensions.list(fixture.clock), [{ principal: 'agent', until }]);
    await suspensions.suspend('agent', until + 1, 'user:1');
    assert.deepEqual(suspensions.list(fixture.clock), [{ principal: 'agent', until: until + 1 }]);
    await suspensions.suspend('agent', undefined, 'user:1');
    await suspensions.suspend('agent', until, 'user:1');
    fixture.reopen();
    open();
    assert.deepEqual(suspensions.list(fixture.clock), [{ principal: 'agent', until: undefined }]);
  });

  it('[R151] resumes exactly what was stopped', async () => {
    await suspensions.suspend(EVERYBODY, undefined, 'user:1');
    assert.isFalse(await suspensions.resume('agent', 'user:1'));
    assert.isTrue(suspensions.isSuspended(AGENT, fixture.clock));
    assert.isTrue(await suspensions.resume(EVERYBODY, 'user:1'));
    assert.isFalse(suspensions.isSuspended(AGENT, fixture.clock));
  });

  it('[R151] a stop that comes while resuming is recorded wins', async () => {
    await suspensions.suspend('agent', fixture.clock + 1, 'user:1');
    const resumed = suspensions.resume('agent', 'user:1');
    await Promise.all([resumed, suspensions.suspend('agent', undefined, 'user:2')]);
    assert.isTrue(suspensions.isSuspended(AGENT, fixture.clock));
    fixture.reopen();
    open();
    assert.isTrue(suspensions.isSuspended(AGENT, fixture.clock));
  });

  it('[R151] records who stopped whom; without a principal it is everybody', async () => {
    await suspensions.suspend('agent', undefined, 'user:1');
    await suspensions.suspend(EVERYBODY, undefined, 'user:1');
    await suspensions.resume('agent', 'user:2');
    assert.deepEqual(recorded(), [
      { code: 'Suspended', principal: 'agent', decider: 'user:1' },
      { code: 'Suspended', principal: undefined, decider: 'user:1' },
      { code: 'Resumed', principal: 'agent', decider: 'user:2' },
    ]);
  });

  it('[R151] holds even where it cannot be stored; going on again has to be', async () => {
    await suspensions.suspend('other', undefined, 'user:1');
    fixture.records.close();
    assert.equal(await rejection(suspensions.suspend('agent', undefined, 'user:1')), 'StoreFailed');
    assert.equal(await rejection(suspensions.resume('other', 'user:1')), 'StoreFailed');
    assert.isTrue(suspensions.isSuspended(AGENT, fixture.clock));
    assert.isTrue(suspensions.isSuspended(OTHER, fixture.clock));
  });

  it('[R111] the sweep lets go of what is over and says so', async () => {
    await suspensions.suspend('agent', fixture.clock + 10, 'user:1');
    await suspensions.suspend('other', undefined, 'user:1');
    told = 0;
    assert.isFalse(suspensions.sweep(fixture.clock + 9));
    assert.isTrue(suspensions.sweep(fixture.clock + 10));
    assert.isFalse(suspensions.sweep(fixture.clock + 10));
    assert.equal(told, 1);
    const rows = fixture.store.database.prepare('SELECT principal FROM suspensions').all();
    assert.deepEqual(
      rows.map(({ principal }) => principal),
      ['other'],
    );
  });
});
