// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { CallError, type CallErrorCode, wireFault } from '../../../broker/bus/errors.ts';
import { DBusError, ERROR_NAME } from '../../../dbus/error.ts';

describe('what leaves the process of something thrown', () => {
  const logged: unknown[] = [];
  const log = (error: unknown): string => {
    logged.push(error);
    return 'f00d';
  };

  beforeEach(() => logged.splice(0));

  const names: Readonly<Record<CallErrorCode, string>> = {
    InvalidArgs: 'org.freedesktop.DBus.Error.InvalidArgs',
    AccessDenied: 'org.freedesktop.DBus.Error.AccessDenied',
    LimitsExceeded: 'org.freedesktop.DBus.Error.LimitsExceeded',
    NotFound: 'org.portal.Broker1.Error.NotFound',
    NotAllowed: 'org.portal.Broker1.Error.NotAllowed',
    InvalidParams: 'org.portal.Broker1.Error.InvalidParams',
  };
  for (const [code, name] of Object.entries(names) as [CallErrorCode, string][]) {
    it(`a refusal ${code} is ${name} in its own words, and no fault`, () => {
      assert.deepEqual(wireFault(new CallError(code, 'say what to do'), log), {
        name,
        text: 'say what to do',
      });
      assert.deepEqual(logged, []);
    });
  }

  it('malformed arguments are InvalidArgs', () => {
    const error = new DBusError('invalid', ERROR_NAME.invalidArgs, 'a dictionary key is given twice');
    assert.deepEqual(wireFault(error, log), { name: ERROR_NAME.invalidArgs, text: error.message });
    assert.deepEqual(logged, []);
  });

  for (const error of [
    new Error('/home/anna/secret'),
    new DBusError('remote', 'a.b.C', 'somebody else’s words'),
    'a text',
    undefined,
  ]) {
    it(`[R71] anything else (${String(error)}) goes to the log, and leaves as an id`, () => {
      const { name, text } = wireFault(error, log);
      assert.equal(name, 'org.portal.Broker1.Error.Failed');
      assert.equal(text, 'the broker failed: fault f00d');
      assert.deepEqual(logged, [error]);
    });
  }
});
