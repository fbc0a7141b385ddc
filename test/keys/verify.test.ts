// SPDX-License-Identifier: Apache-2.0
import { hashes } from '@noble/ed25519';
import { assert } from 'chai';
import fc from 'fast-check';
import { signedBytes } from '../../keys/canonical-json.ts';
import { Point } from '../../keys/ed25519.ts';
import { parsePublicKey } from '../../keys/public-key.ts';
import { publicKeyOf, signBytes } from '../../keys/sign.ts';
import { parseSignature, selfTest, verifySignature } from '../../keys/verify.ts';
import { assertRefused, hex, secret, utf8, vectors } from './fixture.ts';

const ORDER = 0x1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3edn;

/** As a verifier meets it: the key is parsed too, and a refusal there counts as well. */
function verifies(key: string, message: string, signature: string): boolean {
  try {
    return verifySignature(hex(message), hex(signature), parsePublicKey(hex(key)));
  } catch (error) {
    assert.propertyVal(error, 'name', 'KeyError');
    return false;
  }
}

describe('keys/verify', () => {
  describe('RFC 8032 7.1', () => {
    const { tests } = Object(vectors('rfc8032-ed25519.json'));
    it('has the five of them', () => assert.lengthOf(tests, 5));
    for (const { name, public_key, message, signature } of tests) {
      it(`[R55] verifies ${name}, and not with its message or signature changed`, () => {
        assert.isTrue(verifies(public_key, message, signature));
        assert.isFalse(verifies(public_key, `${message}00`, signature));
        assert.isFalse(verifies(public_key, message, signature.replace(/^../, '00')));
      });
    }
  });

  describe('Wycheproof', () => {
    const { testGroups, numberOfTests } = Object(vectors('wycheproof-ed25519.json'));
    let seen = 0;
    for (const { publicKey, tests } of testGroups) {
      for (const { tcId, comment, msg, sig, result } of tests) {
        seen += 1;
        // No exception is needed: the stricter rules here turn none of the valid ones away.
        it(`[R55] ${tcId} ${comment || 'plain'}: ${result}`, () => {
          assert.equal(verifies(publicKey.pk, msg, sig), result === 'valid');
        });
      }
    }
    it('was run in full', () => assert.deepEqual([seen, numberOfTests], [151, 151]));
  });

  it('[R55] verifies M0 with its key', () => {
    const { M0, M0_signature, pub_hex } = Object(vectors('manifest-m0.json'));
    const key = parsePublicKey(hex(pub_hex));
    assert.isTrue(verifySignature(signedBytes(M0), parseSignature(M0_signature), key));
    assert.isFalse(verifySignature(signedBytes({ ...M0, extra: 1 }), parseSignature(M0_signature), key));
    assert.isFalse(verifySignature(signedBytes(M0), parseSignature(M0_signature), publicKeyOf(secret(9))));
  });

  describe('the text of a signature', () => {
    const { M0, M0_signature, pub_hex, bad_signatures } = Object(vectors('manifest-m0.json'));
    const right = String(M0_signature);

    it('[R53] is `ed25519:` and the canonical base64 of 64 bytes', () => {
      assert.equal(parseSignature(right).length, 64);
      assert.equal(`ed25519:${Buffer.from(parseSignature(right)).toString('base64')}`, right);
    });

    it('has all the bad ones to refuse', () => assert.lengthOf(bad_signatures, 15));
    for (const [index, bad] of bad_signatures.entries()) {
      it(`[R53] bad signature ${index} is refused: ${JSON.stringify(bad).slice(0, 40)}`, () => {
        if (bad === null) return assertRefused(() => parseSignature(bad), 'SignatureMissing', '/signature');
        // One of them is well-formed, with L added to S: the text passes and the check of the number does not.
        if (typeof bad === 'string' && /^ed25519:[\w+/]{85}[AQgw]==$/.test(bad)) {
          return assert.isFalse(
            verifySignature(signedBytes(M0), parseSignature(bad), parsePublicKey(hex(pub_hex))),
          );
        }
        return assertRefused(() => parseSignature(bad), 'SignatureMalformed', '/signature');
      });
    }

    it('[R53] is missing when there is none', () => {
      assertRefused(() => parseSignature(undefined), 'SignatureMissing', '/signature');
      assertRefused(() => parseSignature(Object({}).signature), 'SignatureMissing', '/signature');
    });

    it('[R53] is refused with anything before, after or instead of it', () => {
      for (const bad of [
        ` ${right}`,
        `${right}\n`,
        `x${right}`,
        right.slice(0, -1),
        right.replace('==', '=A'),
        5,
        true,
      ]) {
        assertRefused(() => parseSignature(bad), 'SignatureMalformed');
      }
    });

    it('[R53] has exactly one spelling', () => {
      const base64 = fc.string({ unit: fc.constantFrom(...right), minLength: 90, maxLength: 100 });
      fc.assert(
        fc.property(base64, fc.nat(95), fc.string({ maxLength: 1 }), (noise, at, put) => {
          for (const text of [noise, right.slice(0, at) + put + right.slice(at + 1)]) {
            try {
              const bytes = parseSignature(text);
              assert.equal(`ed25519:${Buffer.from(bytes).toString('base64')}`, text);
            } catch (error) {
              assert.propertyVal(error, 'code', 'SignatureMalformed');
            }
          }
        }),
      );
    });
  });

  it('[R55] verifies what was signed, and fails with any one bit of message or signature flipped', () => {
    const flip = (bytes: Uint8Array, bit: number): Uint8Array => {
      const flipped = Uint8Array.from(bytes);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      return flipped;
    };
    const sized = (length: number): fc.Arbitrary<Uint8Array> =>
      fc.uint8Array({ minLength: length, maxLength: length });
    fc.assert(
      fc.property(
        sized(32),
        fc.uint8Array({ minLength: 1, maxLength: 100 }),
        fc.nat(),
        (privateKey, message, bit) => {
          const key = publicKeyOf(privateKey);
          const signature = parseSignature(signBytes(message, privateKey));
          assert.isTrue(verifySignature(message, signature, key));
          assert.isFalse(verifySignature(flip(message, bit % (message.length * 8)), signature, key));
          assert.isFalse(verifySignature(message, flip(signature, bit % 512), key));
        },
      ),
      { numRuns: 30 },
    );
  });

  it('[R55] refuses S + L, which verifies for a lenient reader', () => {
    const message = utf8('m');
    const signature = parseSignature(signBytes(message, secret(1)));
    const s = BigInt(`0x${Buffer.from(signature.slice(32)).reverse().toString('hex')}`) + ORDER;
    const longer = Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse();
    assert.isFalse(
      verifySignature(message, Buffer.concat([signature.slice(0, 32), longer]), publicKeyOf(secret(1))),
    );
  });

  it('[R55] refuses an R of small order, even where the equation holds', () => {
    // With R the neutral element, S = k * a satisfies it: only the holder of the private key can do this, and verifiers disagree on it.
    const { head } = expandedSecret(secret(4));
    const key = publicKeyOf(secret(4));
    const message = utf8('m');
    const neutral = Point.ZERO.toBytes();
    const k = littleEndian(sha512(neutral, key.bytes, message)) % ORDER;
    const s = (k * littleEndian(head)) % ORDER;
    const signature = Buffer.concat([
      neutral,
      Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse(),
    ]);
    assert.isFalse(verifySignature(message, signature, key));
  });

  it('[R55] refuses signatures of any other length, and an R that is no point', () => {
    const signature = parseSignature(signBytes(utf8('m'), secret(1)));
    const key = publicKeyOf(secret(1));
    for (const length of [0, 32, 63, 65, 128]) {
      const other = new Uint8Array(length);
      other.set(signature.slice(0, length));
      assert.isFalse(verifySignature(utf8('m'), other, key));
    }
    assert.isFalse(
      verifySignature(utf8('m'), Buffer.concat([hex('02'.padEnd(64, '0')), signature.slice(32)]), key),
    );
  });

  it('[R55] verifies nothing while the known answer comes out wrong', () => {
    const honest = hashes.sha512;
    const signature = parseSignature(signBytes(utf8('m'), secret(1)));
    const key = publicKeyOf(secret(1));
    try {
      hashes.sha512 = () => new Uint8Array(64).fill(7);
      assertRefused(selfTest, 'SelfTestFailed');
      assertRefused(() => verifySignature(utf8('m'), signature, key), 'SelfTestFailed');
    } finally {
      hashes.sha512 = honest;
    }
    assert.isTrue(verifySignature(utf8('m'), signature, key), 'it is tried again');
    selfTest();
  });
});

function sha512(...parts: Uint8Array[]): Uint8Array {
  const hashed = hashes.sha512?.(Buffer.concat(parts));
  assert.isDefined(hashed);
  return Uint8Array.from(hashed ?? []);
}

/** RFC 8032 5.1.5, steps 1 and 2. */
function expandedSecret(privateKey: Uint8Array): { head: Uint8Array } {
  const head = sha512(privateKey).slice(0, 32);
  head[0] = (head[0] ?? 0) & 248;
  head[31] = ((head[31] ?? 0) & 127) | 64;
  return { head };
}

function littleEndian(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
}
