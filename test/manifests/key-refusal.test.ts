// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { KeyError, type KeyErrorCode } from '../../keys/error.ts';
import { ManifestError } from '../../manifests/error.ts';
import { withKeyRefusals } from '../../manifests/key-refusal.ts';
import { refused } from './fixtures.ts';

const failing = (code: KeyErrorCode, at?: string) => () => {
  throw new KeyError(code, 'the message', at);
};

describe('manifests/key-refusal', () => {
  it('keeps the message and the cause, and takes the place that is known', () => {
    assert.equal(
      refused(() => withKeyRefusals(failing('JsonMalformed', '/a/b'))),
      'JsonMalformed /a/b',
    );
    assert.equal(
      refused(() => withKeyRefusals(failing('JsonMalformed'))),
      'JsonMalformed ',
    );
    assert.equal(
      refused(() => withKeyRefusals(failing('KeyUnsafe', '/etc/x.pub'), '/app_id')),
      'KeyUnusable /app_id',
    );
    try {
      withKeyRefusals(failing('KeyWeak'), '/app_id');
      assert.fail('nothing was refused');
    } catch (error) {
      assert.instanceOf(error, ManifestError);
      assert.equal(error.message, 'the message');
      assert.instanceOf(error.cause, KeyError);
    }
  });

  it('lets a failed self-test and any fault pass: neither is a refusal of this document', () => {
    assert.throws(() => withKeyRefusals(failing('SelfTestFailed')), KeyError);
    assert.throws(
      () =>
        withKeyRefusals(() => {
          throw new TypeError('fault');
        }),
      TypeError,
    );
  });

  it('returns what the step returns', () =>
    assert.equal(
      withKeyRefusals(() => 7),
      7,
    ));
});
