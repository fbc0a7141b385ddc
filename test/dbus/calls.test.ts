// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { PendingCalls } from '../../dbus/calls.ts';
import { type Frame, MESSAGE } from '../../dbus/wire.ts';
import { failureOf } from './failure.ts';

const REPLY: Frame = {
  type: MESSAGE.reply,
  flags: 0,
  serial: 1,
  path: undefined,
  interface: undefined,
  member: undefined,
  errorName: undefined,
  replySerial: 7,
  sender: ':1.1',
  signature: '',
  endianness: 0x6c,
  body: Buffer.alloc(0),
  maxValues: 100,
};
const ERROR: Frame = { ...REPLY, type: MESSAGE.error, errorName: 'a.b.C' };
const BUS = 'org.freedesktop.DBus';

describe('dbus/calls', () => {
  const cases: readonly [called: string, answer: Frame, counts: boolean][] = [
    [':1.1', REPLY, true],
    [':1.1', ERROR, true],
    [':1.1', { ...REPLY, sender: ':1.2' }, false],
    [':1.1', { ...ERROR, sender: ':1.2' }, false],
    [':1.1', { ...ERROR, sender: BUS }, true],
    [':1.1', { ...REPLY, sender: BUS }, false],
    [':1.1', { ...REPLY, sender: undefined }, false],
    [':1.1', { ...REPLY, replySerial: 8 }, false],
    [BUS, { ...REPLY, sender: BUS }, true],
    [BUS, { ...ERROR, sender: BUS }, true],
    [BUS, REPLY, false],
    [BUS, ERROR, false],
    ['a.b.Service', REPLY, true],
  ];
  for (const [called, answer, counts] of cases) {
    const what = `${answer.type === MESSAGE.error ? 'error' : 'reply'} to ${answer.replySerial} from ${answer.sender}`;
    it(`a call to ${called} is ${counts ? '' : 'not '}settled by a ${what}`, async () => {
      const calls = new PendingCalls();
      const settled = calls
        .wait(7, { destination: called, path: '/', interface: 'a.b', member: 'C' })
        .catch(() => []);
      calls.answer(answer);
      assert.equal(calls.serials.has(7), !counts);
      calls.rejectAll(undefined);
      await settled;
    });
  }

  it('rejects for an answer that cannot be read, and for an error with the name alone', async () => {
    const call = { destination: ':1.1', path: '/', interface: 'a.b', member: 'C' };
    const calls = new PendingCalls();
    const replied = calls.wait(7, call);
    calls.answer({ ...REPLY, signature: 's' });
    assert.equal((await failureOf(replied)).code, 'protocol');
    const refused = calls.wait(7, call);
    calls.answer({ ...ERROR, signature: 's' });
    const error = await failureOf(refused);
    assert.deepEqual([error.code, error.name, error.message], ['remote', 'a.b.C', '']);
  });
});
