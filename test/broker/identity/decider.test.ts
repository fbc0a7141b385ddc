// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { operatorOnlyDecider, personName } from '../../../broker/identity/decider.ts';
import { identityFailureOf, identityFailureThrownBy } from './identity-failure.ts';

describe('broker/identity/decider', () => {
  const people: readonly number[] = [0, 1000, 60_000, 61_183, 65_536, 200_000];
  for (const uid of people) {
    it(`[R91] user ${uid} is a person, recorded as the kernel says`, () => {
      assert.equal(personName(uid, 1000), `user:${uid}`);
    });
  }

  const services: readonly number[] = [1, 33, 999, 61_184, 65_519, 65_534, 65_535];
  for (const uid of services) {
    it(`[R91] user ${uid} belongs to a service and decides nothing`, () => {
      const { code, message } = identityFailureThrownBy(() => personName(uid, 1000));
      assert.deepEqual([code, message.includes(`\`${uid}\``)], ['NotAPerson', true]);
    });
  }

  it('[R91] where people begin is the caller to say', () => {
    assert.equal(personName(500, 500), 'user:500');
    assert.equal(identityFailureThrownBy(() => personName(1000, 2000)).code, 'NotAPerson');
  });

  it('[R91] without polkit the process of the tool is enough, and a component still is nobody', async () => {
    const decider = operatorOnlyDecider(1000);
    const { signal } = new AbortController();
    const peer = { pid: process.pid, startTime: '1', uid: 1000 };
    assert.equal(await decider.authenticate(peer, signal), 'user:1000');
    assert.equal(
      (await identityFailureOf(decider.authenticate({ ...peer, uid: 33 }, signal))).code,
      'NotAPerson',
    );
  });
});
