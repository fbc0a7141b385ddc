// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { assert } from 'chai';
import { getPublicKey, Point } from '../../keys/ed25519.ts';
import { parsePublicKey } from '../../keys/public-key.ts';
import { assertRefused, hex, publicBytes, secret } from './fixture.ts';

/** The eight points of small order, in their canonical form. */
const SMALL_ORDER = [
  '0100000000000000000000000000000000000000000000000000000000000000',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0000000000000000000000000000000000000000000000000000000000000080',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
];

describe('keys/public-key', () => {
  it('[R52] takes an honest key and names it by the SHA-256 of its bytes', () => {
    const key = parsePublicKey(publicBytes(1));
    assert.deepEqual(key.bytes, publicBytes(1));
    assert.equal(key.fingerprint, createHash('sha256').update(publicBytes(1)).digest('hex'));
    assert.equal(parsePublicKey(publicBytes(1)), key, 'the check is remembered by the bytes');
  });

  it('[R52] keeps the checked bytes whatever happens to the ones handed in or out', () => {
    // Not by way of `publicBytes`, which would have had the key checked and remembered already.
    const bytes = getPublicKey(secret(77));
    const key = parsePublicKey(bytes);
    bytes.fill(0);
    key.bytes.fill(0);
    assert.deepEqual(key.bytes, getPublicKey(secret(77)));
  });

  it('[R52] refuses every length but 32', () => {
    for (const length of [0, 1, 31, 33, 64, 10_000]) {
      const bytes = new Uint8Array(length).fill(1);
      const { message } = assertRefused(() => parsePublicKey(bytes, '/k/x.pub'), 'KeyMalformed', '/k/x.pub');
      assert.match(message, /exactly 32 raw bytes/);
    }
    assertRefused(() => parsePublicKey(Buffer.concat([publicBytes(1), Buffer.alloc(1)])), 'KeyMalformed');
    assertRefused(
      () => parsePublicKey(Buffer.from(Buffer.from(publicBytes(1)).toString('hex'))),
      'KeyMalformed',
    );
  });

  for (const point of SMALL_ORDER) {
    it(`[R52] refuses the small-order key ${point.slice(0, 8)}…${point.slice(-2)}, each time`, () => {
      assert.isTrue(Point.fromHex(point).isSmallOrder(), 'the vector itself');
      for (const at of ['/first', '/second'])
        assertRefused(() => parsePublicKey(hex(point), at), 'KeyWeak', at);
    });
  }

  it('[R52] refuses a key with a torsion part added to an honest one', () => {
    const honest = Point.fromBytes(publicBytes(3));
    for (const small of SMALL_ORDER.slice(1)) {
      const mixed = honest.add(Point.fromHex(small));
      assert.isFalse(mixed.isSmallOrder());
      const { message } = assertRefused(() => parsePublicKey(mixed.toBytes()), 'KeyWeak');
      assert.match(message, /mixed order/);
    }
  });

  it('[R52] refuses spellings that are not canonical (RFC 8032 5.1.3)', () => {
    const notCanonical = [
      'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f', // y = p, which is 0
      'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f', // y = p + 1
      'f0ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f', // y = p + 3, an honest point written long
      'ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
      '0100000000000000000000000000000000000000000000000000000000000080', // x = 0 with its sign bit set
      'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
    ];
    for (const spelled of notCanonical) assertRefused(() => parsePublicKey(hex(spelled)), 'KeyMalformed');
  });

  it('[R52] refuses 32 bytes that are no point at all', () => {
    assertRefused(() => parsePublicKey(hex('02'.padEnd(64, '0'))), 'KeyMalformed');
  });

  it('still judges rightly after more keys than it remembers', () => {
    let refused = 0;
    for (let number = 0; refused < 1100; number++) {
      const bytes = hex(number.toString(16).padStart(4, '0').padEnd(64, '1'));
      if (isPoint(bytes)) continue;
      assertRefused(() => parsePublicKey(bytes), 'KeyMalformed');
      refused += 1;
    }
    assert.deepEqual(parsePublicKey(publicBytes(1)).bytes, publicBytes(1));
    assertRefused(() => parsePublicKey(new Uint8Array(32)), 'KeyWeak');
  });
});

function isPoint(bytes: Uint8Array): boolean {
  try {
    return Point.fromBytes(bytes) instanceof Point;
  } catch {
    return false;
  }
}
