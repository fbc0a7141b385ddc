// SPDX-License-Identifier: Apache-2.0
import { setImmediate as nextTurn } from 'node:timers/promises';
import { assert } from 'chai';
import { Inbox } from '../../dbus/inbox.ts';
import { type Frame, MESSAGE } from '../../dbus/wire.ts';

const KIND = { C: MESSAGE.call, R: MESSAGE.reply, S: MESSAGE.signal } as const;

/** `a1` is the first thing that `a` sends. */
function message(sender: string, serial: number, kind: keyof typeof KIND = 'C', bytes = 0): Frame {
  return {
    type: KIND[kind],
    flags: 0,
    serial,
    path: '/',
    interface: 'a.b',
    member: 'C',
    errorName: undefined,
    replySerial: undefined,
    sender,
    signature: '',
    endianness: 0x6c,
    body: Buffer.alloc(bytes),
    maxValues: 1,
  };
}

class Handled {
  readonly order: string[] = [];
  readonly refused: string[] = [];
  congested = false;
  work: () => void = () => undefined;
  readonly inbox: Inbox;

  constructor(maxUnanswered = 100, maxWaitingBytes = 1e6) {
    this.inbox = new Inbox({
      maxUnanswered,
      maxWaitingBytes,
      deliver: ({ sender, serial }) => {
        this.order.push(`${sender}${serial}`);
        this.work();
      },
      refuse: ({ sender, serial }) => this.refused.push(`${sender}${serial}`),
      congested: () => this.congested,
    });
  }

  /** Until nothing waits any more. */
  async done(): Promise<void> {
    while (!this.inbox.isEmpty) await nextTurn();
  }
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

describe('dbus/inbox', () => {
  it('handles a call at once where nothing else is going on', () => {
    const handled = new Handled();
    handled.inbox.open();
    handled.inbox.push(message('a', 1));
    assert.deepEqual(handled.order, ['a1']);
  });

  it('lets the senders take turns, however much one of them sends', async () => {
    const handled = new Handled();
    handled.inbox.open();
    for (const serial of range(50)) handled.inbox.push(message('a', serial));
    for (const serial of [1, 2]) handled.inbox.push(message('b', serial));
    handled.inbox.push(message('c', 1));
    await handled.done();
    assert.deepEqual(handled.order.slice(0, 7), ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
    assert.lengthOf(handled.order, 53);
  });

  it('keeps the order of one sender, replies and signals included', async () => {
    const handled = new Handled();
    handled.inbox.open();
    for (const [index, kind] of (['C', 'C', 'R', 'S', 'C'] as const).entries())
      handled.inbox.push(message('a', index + 1, kind));
    await handled.done();
    assert.deepEqual(handled.order, ['a1', 'a2', 'a3', 'a4', 'a5']);
  });

  it('keeps no reply waiting behind the calls of others', () => {
    const handled = new Handled();
    handled.inbox.open();
    for (const serial of range(50)) handled.inbox.push(message('a', serial));
    handled.inbox.push(message('b', 1, 'R'));
    assert.deepEqual(handled.order, ['a1', 'b1']);
  });

  it('lets what a call causes at once happen before the next', async () => {
    const handled = new Handled();
    handled.inbox.open();
    handled.work = () =>
      void Promise.resolve()
        .then(() => undefined)
        .then(() => handled.order.push('answer'));
    for (const serial of [1, 2]) handled.inbox.push(message('a', serial));
    await handled.done();
    await nextTurn();
    assert.deepEqual(handled.order, ['a1', 'answer', 'a2', 'answer']);
  });

  it('lets timers run between slow calls', async () => {
    const handled = new Handled();
    let ran = 0;
    const timer = setInterval(() => {
      ran += 1;
    }, 1);
    handled.work = () => {
      const until = performance.now() + 6;
      while (performance.now() < until);
    };
    handled.inbox.open();
    for (const serial of range(5)) handled.inbox.push(message('a', serial));
    await handled.done();
    clearInterval(timer);
    assert.isAtLeast(ran, 2);
  });

  it('refuses what one sender calls beyond its number, until it is answered', async () => {
    const handled = new Handled(3);
    handled.inbox.open();
    for (const serial of range(5)) handled.inbox.push(message('a', serial));
    handled.inbox.push(message('b', 1));
    await handled.done();
    assert.deepEqual(handled.refused, ['a4', 'a5']);
    handled.inbox.answered('a');
    handled.inbox.push(message('a', 6));
    handled.inbox.push(message('a', 7));
    await handled.done();
    assert.deepEqual(handled.refused, ['a4', 'a5', 'a7']);
    assert.sameMembers(handled.order, ['a1', 'a2', 'a3', 'b1', 'a6']);
  });

  it('refuses what one sender leaves waiting beyond its bytes', async () => {
    const handled = new Handled(100, 10_000);
    handled.inbox.open();
    for (const serial of range(4)) handled.inbox.push(message('a', serial, 'C', 4000));
    await handled.done();
    assert.deepEqual(handled.refused, ['a4']);
  });

  it('loses no reply of one who left too many bytes waiting', async () => {
    const handled = new Handled(100, 10_000);
    handled.inbox.open();
    for (const serial of range(3)) handled.inbox.push(message('a', serial, 'C', 4000));
    for (const serial of [4, 5]) handled.inbox.push(message('a', serial, 'R', 4000));
    await handled.done();
    assert.sameMembers(handled.order, ['a1', 'a2', 'a3', 'a4', 'a5']);
  });

  it('lets small calls of newcomers in when much is waiting altogether', () => {
    const handled = new Handled(100, 100 * 2 ** 20);
    handled.congested = true;
    handled.inbox.open();
    handled.inbox.push(message('a', 1, 'C', 65 * 2 ** 20));
    handled.inbox.push(message('a', 2));
    handled.inbox.push(message('b', 1));
    handled.inbox.push(message('c', 1, 'C', 2 ** 20));
    assert.deepEqual(handled.refused, ['a2', 'c1']);
  });

  it('begins nothing while answers pile up, and goes on afterwards', async () => {
    const handled = new Handled();
    handled.inbox.open();
    handled.work = () => {
      handled.congested = true;
    };
    for (const serial of range(3)) handled.inbox.push(message('a', serial));
    await nextTurn();
    assert.deepEqual(handled.order, ['a1']);
    handled.work = () => undefined;
    handled.congested = false;
    handled.inbox.resume();
    await handled.done();
    assert.deepEqual(handled.order, ['a1', 'a2', 'a3']);
  });

  it('forgets what one who left had waiting, and its count', async () => {
    const handled = new Handled(3);
    handled.inbox.open();
    for (const serial of range(3)) handled.inbox.push(message('a', serial));
    handled.inbox.push(message('a', 9, 'R'));
    handled.inbox.forget('a');
    handled.inbox.forget('nobody');
    for (const serial of [4, 5]) handled.inbox.push(message('a', serial));
    await handled.done();
    assert.deepEqual([handled.order, handled.refused], [['a1', 'a4', 'a5'], []]);
  });

  it('holds 256 calls until there is a handler', async () => {
    const handled = new Handled(1000);
    for (const serial of range(300)) handled.inbox.push(message('a', serial));
    assert.lengthOf(handled.order, 0);
    handled.inbox.push(message('a', 0, 'S'));
    assert.deepEqual(handled.order.splice(0), ['a0'], 'a signal does not wait for a handler of calls');
    assert.lengthOf(handled.refused, 44);
    handled.inbox.open();
    handled.inbox.open();
    await handled.done();
    assert.lengthOf(handled.order, 256);
  });

  it('handles nothing after the end', async () => {
    const handled = new Handled();
    handled.inbox.open();
    for (const serial of range(3)) handled.inbox.push(message('a', serial));
    handled.inbox.close();
    await nextTurn();
    assert.deepEqual(handled.order, ['a1']);
  });
});
