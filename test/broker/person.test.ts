// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { CallError } from '../../broker/bus/errors.ts';
import { IdentityError } from '../../broker/identity/error.ts';
import type { Decider } from '../../broker/identity/polkit.ts';
import { Person } from '../../broker/person.ts';
import { session } from './session.ts';

const codeOf = async (call: Promise<unknown>): Promise<unknown> =>
  await call.then(
    () => 'ok',
    (error: unknown) => (error instanceof CallError ? error.code : error),
  );

describe('Person', () => {
  const asked: number[] = [];
  const saying = (authenticate: Decider['authenticate']) => new Person({ authenticate });

  it("[R91] the compositor's own connection is the person's, and nobody else is asked", async () => {
    const person = saying(async ({ uid }) => {
      asked.push(uid);
      return 'user:0';
    });
    assert.equal(await person.behind(session(':1.1', { roles: ['compositor'], uid: 1000 })), 'user:1000');
    assert.deepEqual(asked, []);
    assert.equal(await person.behind(session(':1.2', { roles: ['operator'], uid: 1000 })), 'user:0');
    assert.deepEqual(asked, [1000]);
  });

  it('[R91] nobody authenticated: the call is not allowed; a fault is a fault', async () => {
    const refusing = saying(async () => {
      throw new IdentityError('NotAuthorised', 'you said no');
    });
    const tool = session(':1.3', { roles: ['operator'] });
    assert.equal(await codeOf(refusing.behind(tool)), 'NotAllowed');
    const broken = new TypeError('broken');
    const failing = saying(async () => {
      throw broken;
    });
    assert.equal(await codeOf(failing.behind(tool)), broken);
    assert.equal(tool.requests.size, 0, 'nothing is left to be withdrawn');
  });

  it('[R91] who left while the person authenticated decides nothing, and the dialog is taken away', async () => {
    const tool = session(':1.4', { roles: ['operator'] });
    let withdrawn = false;
    const person = saying(async (_peer, signal) => {
      signal.addEventListener('abort', () => {
        withdrawn = true;
      });
      for (const { withdraw } of tool.requests.values()) withdraw();
      tool.gone = true;
      return 'user:1000';
    });
    assert.equal(await codeOf(person.behind(tool)), 'AccessDenied');
    assert.isTrue(withdrawn);
  });
});
