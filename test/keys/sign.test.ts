// SPDX-License-Identifier: Apache-2.0
import { linkSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { assert } from 'chai';
import { parseAppId } from '../../keys/app-id.ts';
import { generate, publicKeyOf, readPrivateKey, signBytes } from '../../keys/sign.ts';
import { parseSignature, verifySignature } from '../../keys/verify.ts';
import {
  assertRefused,
  hex,
  makeDirectory,
  publicBytes,
  removeScratch,
  scratch,
  secret,
  utf8,
  vectors,
  write,
} from './fixture.ts';

const id = parseAppId('org.gnome.Nautilus');
const mode = (path: string): number => lstatSync(path).mode & 0o7777;

describe('keys/sign', () => {
  afterEach(removeScratch);

  const { tests } = Object(vectors('rfc8032-ed25519.json'));
  for (const { name, secret_key, public_key, message, signature } of tests) {
    it(`[R53] signs RFC 8032 ${name} byte for byte`, () => {
      assert.equal(Buffer.from(publicKeyOf(hex(secret_key)).bytes).toString('hex'), public_key);
      const text = signBytes(hex(message), hex(secret_key));
      assert.equal(text, `ed25519:${Buffer.from(signature, 'hex').toString('base64')}`);
      assert.equal(Buffer.from(parseSignature(text)).toString('hex'), signature);
    });
  }

  for (const umask of [0o000, 0o022, 0o777]) {
    it(`[R51] generates the two files with their exact modes under umask ${umask.toString(8).padStart(3, '0')}`, () => {
      const home = scratch();
      makeDirectory(join(home, '.config'));
      const before = process.umask(umask);
      let paths: ReturnType<typeof generate>;
      try {
        paths = generate(id, { home });
      } finally {
        process.umask(before);
      }
      const directory = join(home, '.config', 'portal-org.gnome.Nautilus');
      assert.deepEqual(paths, {
        privateKeyPath: join(directory, 'ed25519.key'),
        publicKeyPath: join(directory, 'org.gnome.Nautilus.pub'),
      });
      assert.deepEqual(
        [mode(directory), mode(paths.privateKeyPath), mode(paths.publicKeyPath)],
        [0o700, 0o600, 0o644],
      );
      assert.deepEqual(
        readdirSync(directory).sort(),
        ['ed25519.key', 'org.gnome.Nautilus.pub'],
        'nothing else is left',
      );
    });
  }

  it('[R51] generates 32 raw bytes that sign for the public key beside them, new ones each time', () => {
    const [one, other] = [generate(id, { home: scratch() }), generate(id, { home: scratch() })];
    assert.equal(statSync(one.privateKeyPath).size, 32);
    const privateKey = readPrivateKey(one.privateKeyPath);
    const key = publicKeyOf(privateKey);
    assert.deepEqual(Uint8Array.from(readFileSync(one.publicKeyPath)), key.bytes);
    assert.isTrue(verifySignature(utf8('m'), parseSignature(signBytes(utf8('m'), privateKey)), key));
    assert.notDeepEqual(readPrivateKey(other.privateKeyPath), privateKey);
  });

  it('[R51] takes the secret from the given source', () => {
    const { privateKeyPath } = generate(id, { home: scratch(), random: () => secret(5) });
    assert.deepEqual(readPrivateKey(privateKeyPath), secret(5));
  });

  it('[R51] refuses to overwrite a private key, a dangling link included, and leaves no trace', () => {
    const home = scratch();
    const { privateKeyPath, publicKeyPath } = generate(id, { home, random: () => secret(1) });
    assertRefused(() => generate(id, { home }), 'KeyExists', privateKeyPath);
    assert.deepEqual(readPrivateKey(privateKeyPath), secret(1));
    assert.deepEqual(Uint8Array.from(readFileSync(publicKeyPath)), publicBytes(1));
    assert.lengthOf(readdirSync(join(privateKeyPath, '..')), 2);

    const other = scratch();
    const directory = makeDirectory(join(other, '.config', 'portal-org.gnome.Nautilus'), 0o700);
    symlinkSync(join(other, 'elsewhere'), join(directory, 'ed25519.key'));
    assertRefused(() => generate(id, { home: other }), 'KeyExists');
    assert.deepEqual(readdirSync(other), ['.config']);
  });

  it('[R51] refuses a key directory that others can reach, or that is a link', () => {
    const home = scratch();
    const directory = makeDirectory(join(home, '.config', 'portal-org.gnome.Nautilus'), 0o750);
    assertRefused(() => generate(id, { home }), 'KeyUnsafe', directory);
    const linked = scratch();
    makeDirectory(join(linked, '.config'));
    symlinkSync(
      makeDirectory(join(linked, 'real'), 0o700),
      join(linked, '.config', 'portal-org.gnome.Nautilus'),
    );
    assertRefused(() => generate(id, { home: linked }), 'KeyUnsafe');
    const occupied = scratch();
    makeDirectory(join(occupied, '.config'));
    write(join(occupied, '.config', 'portal-org.gnome.Nautilus'), 'x', 0o600);
    assertRefused(() => generate(id, { home: occupied }), 'KeyUnsafe');
    assert.isEmpty(readdirSync(join(linked, 'real')));
  });

  it('leaves a fault of the system as it is', () => {
    const file = write(join(scratch(), 'file'), 'x');
    assert.throws(() => generate(id, { home: file }), /ENOTDIR/);
  });

  it('[R51] reads a private key only where nobody else could have read or replaced it', () => {
    const home = scratch();
    const path = write(join(home, 'ed25519.key'), secret(1), 0o600);
    assert.deepEqual(readPrivateKey(path), secret(1));
    for (const open of [0o640, 0o604, 0o622, 0o610]) {
      assertRefused(
        () => readPrivateKey(write(join(home, 'open'), secret(1), open)),
        'KeyUnsafe',
        join(home, 'open'),
      );
    }
    assertRefused(() => readPrivateKey(join(home, 'none')), 'KeyMissing');
    assertRefused(
      () => readPrivateKey(write(join(home, 'short'), secret(1).slice(1), 0o600)),
      'KeyMalformed',
    );
    assertRefused(() => readPrivateKey(write(join(home, 'long'), Buffer.alloc(64), 0o600)), 'KeyMalformed');
    assertRefused(() => readPrivateKey(write(join(home, 'empty'), '', 0o600)), 'KeyMalformed');
    symlinkSync(path, join(home, 'link'));
    assertRefused(() => readPrivateKey(join(home, 'link')), 'KeyUnsafe');
    linkSync(path, join(home, 'second'));
    assertRefused(() => readPrivateKey(path), 'KeyUnsafe');
  });
});
