// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { socketPath } from '../../dbus/address.ts';
import { thrownBy } from './failure.ts';

describe('dbus/address', () => {
  const readable: readonly [address: string, path: string][] = [
    ['unix:path=/run/user/1000/bus', '/run/user/1000/bus'],
    ['unix:path=/tmp/a,guid=00ff', '/tmp/a'],
    ['unix:guid=00ff,path=/tmp/a=b', '/tmp/a=b'],
    ['unix:path=/tmp/with%20space', '/tmp/with space'],
    ['unix:abstract=/tmp/dbus-x,guid=0', '\0/tmp/dbus-x'],
    ['tcp:host=localhost,port=1;unix:path=/tmp/second', '/tmp/second'],
    ['unix:runtime=yes;unix:path=/tmp/third', '/tmp/third'],
  ];
  for (const [address, path] of readable) {
    it(`reads ${address}`, () => assert.equal(socketPath(address), path));
  }

  const refused = [
    undefined,
    '',
    'tcp:host=localhost,port=1',
    'unixexec:path=/bin/sh',
    'unix:',
    'unix',
    'unix:path=',
    'unix:path=%zz',
  ];
  for (const address of refused) {
    it(`refuses ${address === undefined ? 'a missing address' : `\`${address}\``}`, () => {
      assert.equal(thrownBy(() => socketPath(address)).code, 'invalid');
    });
  }
});
