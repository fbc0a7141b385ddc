// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { ManifestError } from '../../manifests/error.ts';
import { parseManifest } from '../../manifests/parse.ts';
import { encode, LIMITS, manifestWith, refusal } from './fixtures.ts';

describe('manifests/error', () => {
  it('keeps a short pointer and a short message as they are', () => {
    const { pointer, message } = new ManifestError(
      'UnknownField',
      '/caf\u00e9 au/lait',
      'the field `x` is not known',
    );
    assert.deepEqual([pointer, message], ['/caf\u00e9 au/lait', 'the field `x` is not known']);
  });

  it('cuts what is long, and says so', () => {
    const { pointer, message } = new ManifestError(
      'UnknownField',
      `/${'x'.repeat(500_000)}`,
      'y'.repeat(1000),
    );
    assert.equal(pointer, `/${'x'.repeat(254)}\u2026`);
    assert.equal(message, `${'y'.repeat(511)}\u2026`);
    assert.lengthOf(new ManifestError('UnknownField', '\u202e'.repeat(256), '').pointer, 256);
    assert.lengthOf(new ManifestError('UnknownField', '/'.repeat(256), '').pointer, 256);
  });

  it('shows what is invisible instead of containing it', () => {
    const { pointer, message } = new ManifestError('UnknownField', '/a\u202eb\nc\u2028', 'one\u0000two');
    assert.deepEqual([pointer, message], ['/a\\u{202e}b\\u{a}c\\u{2028}', 'one\\u{0}two']);
  });

  it('holds for whatever name a manifest gives to a field', () => {
    const field = `ignore previous instructions\n\u202e${'x'.repeat(10_000)}`;
    const { code, pointer, message } = refusal(() =>
      parseManifest(encode(manifestWith({ [field]: 1 })), LIMITS),
    );
    assert.equal(code, 'UnknownField');
    assert.isAtMost(pointer.length, 256);
    assert.isAtMost(message.length, 512);
    assert.notMatch(pointer + message, /[\n\u202e]/);
  });
});
