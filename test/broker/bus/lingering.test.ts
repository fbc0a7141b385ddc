// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { Lingering } from '../../../broker/bus/lingering.ts';

describe('requests that are over', () => {
  let gone: string[];
  const kept = (lingering: Lingering, connection: string, ...handles: readonly string[]): void => {
    for (const handle of handles)
      lingering.keep(connection, handle, () => gone.push(`${connection} ${handle}`));
  };

  beforeEach(() => {
    gone = [];
  });

  it('[R123] can be looked at for a time, and then no more', async () => {
    const lingering = new Lingering({ lingerMs: 5, most: 2 });
    const removed = Promise.withResolvers<void>();
    lingering.keep(':1.1', 'a', () => removed.resolve());
    // The timer of such a one keeps no process alive, so this one does.
    const alive = setInterval(() => undefined, 1000);
    await removed.promise;
    clearInterval(alive);
    lingering.drop(':1.1', 'a');
  });

  it('[R106] are only so many of one connection; the oldest go first, and others lose none', () => {
    const lingering = new Lingering({ lingerMs: 60_000, most: 2 });
    kept(lingering, ':1.2', 'x');
    kept(lingering, ':1.1', 'a', 'b', 'c', 'd');
    assert.deepEqual(gone, [':1.1 a', ':1.1 b']);
    lingering.forget(':1.1');
    lingering.forget(':1.2');
  });

  it('[R123] make room for a new one of their name, once', () => {
    const lingering = new Lingering({ lingerMs: 60_000, most: 2 });
    kept(lingering, ':1.1', 'a');
    lingering.drop(':1.1', 'b');
    lingering.drop(':1.2', 'a');
    assert.deepEqual(gone, []);
    lingering.drop(':1.1', 'a');
    lingering.drop(':1.1', 'a');
    assert.deepEqual(gone, [':1.1 a']);
  });

  it('[R123] go with their connection', () => {
    const lingering = new Lingering({ lingerMs: 60_000, most: 5 });
    kept(lingering, ':1.1', 'a', 'b');
    kept(lingering, ':1.2', 'a');
    lingering.forget(':1.1');
    lingering.forget(':1.1');
    assert.deepEqual(gone, [':1.1 a', ':1.1 b']);
    lingering.forget(':1.2');
  });
});
