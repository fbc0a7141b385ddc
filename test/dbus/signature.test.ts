// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { completeTypes } from '../../dbus/signature.ts';

describe('dbus/signature', () => {
  it('splits into complete types', () => {
    assert.deepEqual(completeTypes(''), []);
    assert.deepEqual(completeTypes('sa{sv}(i(uu))aay'), ['s', 'a{sv}', '(i(uu))', 'aay']);
    assert.deepEqual(completeTypes('aa{sa(sv)}b'), ['aa{sa(sv)}', 'b']);
  });
});
