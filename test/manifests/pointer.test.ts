// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import fc from 'fast-check';
import { below, pointerTokens } from '../../manifests/pointer.ts';

describe('manifests/pointer', () => {
  it('writes the examples of RFC 6901 section 5', () => {
    assert.equal(below('', 'a/b'), '/a~1b');
    assert.equal(below('', 'm~n'), '/m~0n');
    assert.equal(below('/foo', 0), '/foo/0');
    assert.equal(below('', ''), '/');
  });

  it('reads back what it wrote', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1 }), (tokens) => {
        assert.deepEqual(pointerTokens(tokens.reduce(below, '')), tokens);
      }),
    );
  });

  it('knows what is no pointer', () => {
    for (const text of ['', 'a', '#/a', '/~', '/~2', '/a~']) assert.isUndefined(pointerTokens(text), text);
  });
});
