// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { assert } from 'chai';
import { isCongested, readAtPace } from '../../dbus/reading.ts';

const MIB = 2 ** 20;

describe('dbus/reading', () => {
  let socket: Duplex;
  let read: string[];
  let work: boolean;
  let drained: number;
  let slowly: boolean;
  let written: () => void;

  beforeEach(() => {
    read = [];
    work = slowly = false;
    drained = 0;
    written = () => undefined;
    const write = (_chunk: unknown, _encoding: string, done: () => void) => {
      written = done;
    };
    socket = new Duplex({ read: () => undefined, write });
    readAtPace(socket, {
      push: (chunk) => {
        read.push(chunk.toString());
        const until = performance.now() + (slowly ? 5 : 0);
        while (performance.now() < until);
      },
      hasWork: () => work,
      drained: () => {
        drained += 1;
      },
    });
  });

  it('reads on while nothing waits, however long it takes', async () => {
    slowly = true;
    for (const chunk of ['a', 'b']) socket.push(chunk);
    await nextTurn();
    assert.deepEqual(read.join(''), 'ab');
    assert.isFalse(socket.isPaused());
  });

  it('leaves the turn to what waits after a few milliseconds, and reads on in the next', async () => {
    slowly = work = true;
    const paused = once(socket, 'pause');
    socket.push('a');
    await paused;
    socket.push('b');
    assert.deepEqual(read, ['a']);
    while (read.length < 2) await nextTurn();
    assert.deepEqual(read, ['a', 'b']);
  });

  it('reads a little more although something waits', async () => {
    work = true;
    socket.push('a');
    await nextTurn();
    assert.deepEqual(read, ['a']);
    assert.isFalse(socket.isPaused());
  });

  it('reads nothing while answers pile up, and goes on when they are sent', async () => {
    slowly = work = true;
    socket.write(Buffer.alloc(5 * MIB));
    assert.isTrue(isCongested(socket));
    socket.push('a');
    while (read.length < 1) await nextTurn();
    socket.push('b');
    await nextTurn();
    assert.isTrue(socket.isPaused());
    assert.deepEqual(read, ['a']);
    written();
    while (read.length < 2) await nextTurn();
    assert.equal(drained, 1);
    assert.isFalse(isCongested(socket));
  });
});
