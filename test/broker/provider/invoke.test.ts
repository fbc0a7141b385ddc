// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { DBusError, type DBusErrorCode, ERROR_NAME } from '../../../dbus/error.ts';
import { id } from '../intent/fixture-app.ts';
import { remote, untilAborted } from '../intent/scripted-bus.ts';
import { ends, useDesk } from '../intent/world.ts';

describe('the call to an app', () => {
  const its = useDesk();
  const read = (more = {}) => its.desk.dispatch(id('read'), {}, more);
  const saying = async (text: string, code = 'ExecutionFailed') => {
    its.desk.bus.app = () => {
      throw remote(`org.portal.Broker1.Error.${code}`, text);
    };
    const { outcome } = await read();
    return [outcome.error?.message, outcome.error?.recoverable];
  };

  const words: readonly [text: string, message: string, recoverable: boolean][] = [
    ['out of paper', 'out of paper', false],
    ['', '', false],
    ['{"reason":"a"}', 'a', false],
    ['{"message":"b"}', 'b', false],
    ['{"message":"b","reason":"a"}', 'a', false],
    ['{"reason":5,"message":6}', '{"reason":5,"message":6}', false],
    ['{"reason":"a","recoverable":true}', 'a', true],
    ['{"reason":"a","recoverable":"yes"}', 'a', false],
    ['{"recoverable":1}', '{"recoverable":1}', false],
    ['null', 'null', false],
    ['"message"', '"message"', false],
    ['{"reason":', '{"reason":', false],
    ['a'.repeat(501), 'a'.repeat(500), false],
  ];
  for (const [text, message, recoverable] of words) {
    it(`[R50] the app's own words ${text.slice(0, 40)}`, async () => {
      assert.deepEqual(await saying(text), [`the app says: ${message}`, recoverable]);
    });
  }

  const codes: readonly [DBusErrorCode, cancels: boolean, strikes: boolean][] = [
    ['timeout', true, true],
    ['aborted', true, false],
    ['limit', false, true],
    ['protocol', false, true],
    ['invalid', false, false],
    ['disconnected', false, false],
    ['remote', false, false],
  ];
  for (const [code, cancels, strikes] of codes) {
    it(`[R70] ${code}: ${cancels ? 'told to stop' : 'not told'}, ${strikes ? 'counted' : 'not counted'}`, async () => {
      its.desk.bus.app = () => {
        throw new DBusError(code, ERROR_NAME.failed, '');
      };
      for (let times = 0; times < 3; times += 1) await read();
      assert.equal(its.desk.bus.members().includes('Cancel'), cancels);
      assert.lengthOf(its.desk.quarantined, strikes ? 1 : 0);
    });
  }

  it('[R70] a message to stop names the invocation, and nobody waits for its answer', async () => {
    its.desk.bus.app = its.desk.bus.never;
    const { invocation } = await read();
    const cancel = its.desk.bus.calls.at(-1);
    assert.deepEqual([cancel?.member, cancel?.destination, cancel?.body], ['Cancel', ':1.50', [invocation]]);
  });

  for (const [capability, status, event] of [
    ['write', 'unknown', 'unknown'],
    ['read', 'failed', 'failed'],
  ] as const) {
    it(`[R137] an app that is none any more is told to stop, and a ${capability} ended ${status}`, async () => {
      const called = Promise.withResolvers<void>();
      its.desk.bus.app = (call) => {
        called.resolve();
        return untilAborted(call);
      };
      const running = its.desk.dispatch(id(capability), {});
      await called.promise;
      its.desk.leave();
      const ran = await running;
      assert.equal(ran.outcome.status, status);
      ends(ran, event, 'dispatch', 'ProviderGone');
      assert.equal(its.desk.bus.members().at(-1), 'Cancel');
      assert.lengthOf(its.desk.quarantined, 0);
    });
  }
});
