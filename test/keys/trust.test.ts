// SPDX-License-Identifier: Apache-2.0
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, lstatSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { assert } from 'chai';
import { parseAppId } from '../../keys/app-id.ts';
import { Keyring } from '../../keys/keyring.ts';
import { installKey, removeKey, revoke } from '../../keys/trust.ts';
import {
  assertRefused,
  fingerprint,
  makeDirectory,
  publicBytes,
  removeScratch,
  scratch,
  thisUser,
  write,
} from './fixture.ts';

const appId = parseAppId('org.gnome.Nautilus');

function setUp() {
  const base = scratch();
  const directory = makeDirectory(join(base, 'trusted'));
  const revokedFile = join(base, 'revoked');
  const keyring = new Keyring({ directories: [directory], revokedFile, owners: [thisUser] });
  const keys = (): string[] => keyring.keysFor(appId).map((key) => key.fingerprint);
  return { base, directory, revokedFile, keyring, keys };
}

describe('keys/trust', () => {
  afterEach(removeScratch);

  it('[R52] installs a key that the keyring trusts, with mode 0644 under any umask, and nothing beside it', () => {
    const { directory, keys } = setUp();
    const before = process.umask(0o777);
    try {
      installKey({ directory, appId, publicKeyBytes: publicBytes(1) });
    } finally {
      process.umask(before);
    }
    assert.deepEqual(keys(), [fingerprint(1)]);
    assert.equal(lstatSync(join(directory, `${appId}.pub`)).mode & 0o7777, 0o644);
    assert.deepEqual(readdirSync(directory), [`${appId}.pub`]);
  });

  it('[R56] replaces the key, or adds one beside it while rotating', () => {
    const { directory, keys } = setUp();
    const path = installKey({ directory, appId, publicKeyBytes: publicBytes(1) });
    assert.equal(path, join(directory, `${appId}.pub`));
    const beside = installKey({ directory, appId, publicKeyBytes: publicBytes(2), rotating: true });
    assert.equal(beside, join(directory, `${appId}.d`, `${fingerprint(2)}.pub`));
    installKey({ directory, appId, publicKeyBytes: publicBytes(2), rotating: true });
    assert.deepEqual(keys(), [fingerprint(1), fingerprint(2)]);
    installKey({ directory, appId, publicKeyBytes: publicBytes(3), owners: [thisUser] });
    assert.deepEqual(keys(), [fingerprint(3), fingerprint(2)]);
    assert.equal(lstatSync(join(directory, `${appId}.d`)).mode & 0o7777, 0o755);
  });

  it('[R52] replaces a link by the key and leaves its target alone', () => {
    const { base, directory, keys } = setUp();
    const target = write(join(base, 'target'), 'untouched');
    symlinkSync(target, join(directory, `${appId}.pub`));
    installKey({ directory, appId, publicKeyBytes: publicBytes(1) });
    assert.equal(readFileSync(target, 'utf8'), 'untouched');
    assert.deepEqual(keys(), [fingerprint(1)]);
  });

  it('[R52] installs no weak or malformed key, and nothing in a directory that is absent or open', () => {
    const { base, directory } = setUp();
    assertRefused(() => installKey({ directory, appId, publicKeyBytes: new Uint8Array(32) }), 'KeyWeak');
    assertRefused(() => installKey({ directory, appId, publicKeyBytes: new Uint8Array(31) }), 'KeyMalformed');
    const key = { appId, publicKeyBytes: publicBytes(1) };
    assertRefused(
      () => installKey({ ...key, directory: join(base, 'none') }),
      'KeyMissing',
      join(base, 'none'),
    );
    const folder = makeDirectory(join(directory, `${appId}.d`), 0o777);
    assertRefused(() => installKey({ ...key, directory, rotating: true }), 'KeyUnsafe', folder);
    chmodSync(directory, 0o775);
    assertRefused(() => installKey({ ...key, directory }), 'KeyUnsafe', directory);
    assert.deepEqual(readdirSync(directory), [`${appId}.d`]);
    assert.isEmpty(readdirSync(folder));
  });

  it('[R56] removes one key or all of an app, and says which files', () => {
    const { directory, keys } = setUp();
    const install = (number: number, rotating: boolean): string =>
      installKey({ directory, appId, publicKeyBytes: publicBytes(number), rotating });
    const [one, two] = [install(1, false), install(2, true)];
    assert.deepEqual(removeKey({ directory, appId, fingerprint: fingerprint(1) }), [one]);
    assert.deepEqual(keys(), [fingerprint(2)]);
    install(1, false);
    assert.deepEqual(removeKey({ directory, appId, owners: [thisUser] }), [one, two]);
    assertRefused(keys, 'KeyMissing');
    assertRefused(() => removeKey({ directory, appId }), 'KeyMissing');
  });

  it('[R56] removes nothing by a fingerprint that no readable key has, and a link itself without one', () => {
    const { base, directory } = setUp();
    const target = write(join(base, 'target'), publicBytes(1));
    const path = join(directory, `${appId}.pub`);
    symlinkSync(target, path);
    assertRefused(() => removeKey({ directory, appId, fingerprint: fingerprint(1) }), 'KeyMissing');
    assert.deepEqual(removeKey({ directory, appId }), [path]);
    assert.isTrue(existsSync(target));
    chmodSync(directory, 0o777);
    assertRefused(() => removeKey({ directory, appId }), 'KeyUnsafe', directory);
  });

  it('[R56] revokes a key by an entry that the keyring honours, keeping what is there', () => {
    const { directory, revokedFile, keys } = setUp();
    installKey({ directory, appId, publicKeyBytes: publicBytes(1) });
    revoke({ revokedFile, fingerprint: fingerprint(2), comment: 'laptop, 2026-11-30' });
    assert.deepEqual(keys(), [fingerprint(1)]);
    revoke({ revokedFile, fingerprint: fingerprint(1).toUpperCase(), owners: [thisUser] });
    assertRefused(keys, 'KeyRevoked');
    const text = readFileSync(revokedFile, 'utf8');
    assert.equal(text, `${fingerprint(2)} # laptop, 2026-11-30\n${fingerprint(1)}\n`);
    assert.equal(lstatSync(revokedFile).mode & 0o7777, 0o644);
    write(revokedFile, `${fingerprint(3)}`);
    revoke({ revokedFile, fingerprint: Buffer.from(publicBytes(1)).toString('hex') });
    assert.match(readFileSync(revokedFile, 'utf8'), new RegExp(`^${fingerprint(3)}\n[0-9a-f]{64}\n$`));
    assertRefused(keys, 'KeyRevoked');
  });

  it('[R56] revokes nothing that would break the list, nor in a list or directory that is in doubt', () => {
    const { base, revokedFile } = setUp();
    for (const bad of ['', 'x', fingerprint(1).slice(1), `${fingerprint(1)}\n`, ` ${fingerprint(1)}`]) {
      assertRefused(() => revoke({ revokedFile, fingerprint: bad }), 'KeyMalformed');
    }
    for (const comment of ['a\nb', 'a\rb', '\0', '\u2028', '\u0085']) {
      assertRefused(() => revoke({ revokedFile, fingerprint: fingerprint(1), comment }), 'KeyMalformed');
    }
    assert.isFalse(existsSync(revokedFile));
    write(revokedFile, 'nonsense');
    assertRefused(() => revoke({ revokedFile, fingerprint: fingerprint(1) }), 'KeyMalformed', revokedFile);
    assert.equal(readFileSync(revokedFile, 'utf8'), 'nonsense');
    assert.sameMembers(readdirSync(base), ['trusted', 'revoked']);
    const absent = join(base, 'none', 'revoked');
    assertRefused(
      () => revoke({ revokedFile: absent, fingerprint: fingerprint(1) }),
      'KeyMissing',
      join(base, 'none'),
    );
    chmodSync(base, 0o777);
    assertRefused(() => revoke({ revokedFile, fingerprint: fingerprint(1) }), 'KeyUnsafe', base);
  });

  it('[R56] loses no revocation to another one at the same time', async () => {
    const { base, revokedFile } = setUp();
    write(join(base, '.revoked.new'), '');
    assertRefused(
      () => revoke({ revokedFile, fingerprint: fingerprint(1) }),
      'KeyExists',
      join(base, '.revoked.new'),
    );
    execFileSync('rm', [join(base, '.revoked.new')]);
    const script = `
      import { revoke } from ${JSON.stringify(join(import.meta.dirname, '../../keys/trust.ts'))};
      let done = 0;
      for (let i = 0; i < 20; i++) {
        try {
          revoke({ revokedFile: process.argv[1], fingerprint: process.argv[2].repeat(62) + String(i).padStart(2, '0') });
          done += 1;
        } catch (error) {
          if (error.code !== 'KeyExists') throw error;
        }
      }
      process.stdout.write(String(done));`;
    const run = (digit: string): Promise<number> =>
      new Promise((resolve, reject) => {
        const child = spawn(process.execPath, ['--input-type=module', '-e', script, revokedFile, digit]);
        let out = '';
        child.stdout.on('data', (data) => {
          out += data;
        });
        child.on('close', (code) => (code === 0 ? resolve(Number(out)) : reject(new Error(`exit ${code}`))));
      });
    const [one, two] = await Promise.all([run('a'), run('b')]);
    const lines = readFileSync(revokedFile, 'utf8').trim().split('\n');
    assert.lengthOf(lines, one + two);
    assert.isAbove(one + two, 0);
  });
});
