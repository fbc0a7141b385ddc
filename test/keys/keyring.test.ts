// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { assert } from 'chai';
import { type AppId, parseAppId } from '../../keys/app-id.ts';
import type { KeyErrorCode } from '../../keys/error.ts';
import { Keyring } from '../../keys/keyring.ts';
import {
  assertRefused,
  fingerprint,
  makeDirectory,
  NOBODY,
  publicBytes,
  removeScratch,
  runsAsRoot,
  scratch,
  thisUser,
  write,
} from './fixture.ts';

const app = parseAppId('org.gnome.Nautilus');
const other = parseAppId('org.xfce.mousepad');

/** A keyring over an administrator's and a package's directory; `later` makes its clock run ahead, so that files count as settled. */
function setUp(later = 0) {
  const base = scratch();
  const etc = makeDirectory(join(base, 'etc', 'trusted'));
  const usr = makeDirectory(join(base, 'usr', 'trusted'));
  const revoked = join(base, 'etc', 'revoked');
  const keyring = new Keyring({
    directories: [etc, usr],
    revokedFile: revoked,
    owners: [thisUser],
    now: () => Date.now() + later,
  });
  const pub = (directory: string, appId: AppId = app): string => join(directory, `${appId}.pub`);
  const install = (path: string, number: number): string => write(path, publicBytes(number));
  /** As a careful tool does it: a new file, renamed over the old one. */
  const replace = (path: string, number: number): void => renameSync(install(`${path}.new`, number), path);
  const trusts = (number: number, appId: AppId = app): boolean =>
    keyring.isTrusted(appId, fingerprint(number));
  const keys = (appId: AppId = app): string[] => keyring.keysFor(appId).map((key) => key.fingerprint);
  return { base, etc, usr, revoked, keyring, pub, install, replace, trusts, keys };
}

describe('keys/keyring', () => {
  afterEach(removeScratch);

  it('[R52] finds the key of the app and of no other', () => {
    const { etc, keyring, pub, install, trusts } = setUp();
    install(pub(etc), 1);
    const [key] = keyring.keysFor(app);
    assert.deepEqual(key?.bytes, publicBytes(1));
    assert.isTrue(trusts(1));
    assert.isFalse(trusts(2));
    assert.isFalse(trusts(1, other));
    assertRefused(() => keyring.keysFor(other), 'KeyMissing', pub(etc, other));
  });

  it('[R52] has no key where there are no directories, or none is named', () => {
    const { base } = setUp();
    const revokedFile = join(base, 'revoked');
    const absent = new Keyring({ directories: [join(base, 'none')], revokedFile, owners: [thisUser] });
    assertRefused(() => absent.keysFor(app), 'KeyMissing');
    assert.deepEqual(absent.list(), { trusted: [], problems: [] });
    const none = new Keyring({ directories: [], revokedFile, owners: [thisUser] });
    assertRefused(() => none.keysFor(app), 'KeyMissing');
  });

  it('[R52] takes an id as long as ids may be', () => {
    const { etc, keyring } = setUp();
    assertRefused(() => keyring.keysFor(parseAppId('a'.repeat(255))), 'KeyMissing');
    const longest = parseAppId('a'.repeat(251));
    write(join(etc, `${longest}.pub`), publicBytes(1));
    assert.lengthOf(keyring.keysFor(longest), 1);
  });

  it('[R52] lets the first directory that holds anything for an app decide alone', () => {
    const { etc, usr, keys, pub, install, trusts } = setUp();
    install(pub(usr), 2);
    assert.deepEqual(keys(), [fingerprint(2)]);
    install(pub(etc), 1);
    assert.deepEqual(keys(), [fingerprint(1)]);
    assert.isFalse(trusts(2));
    chmodSync(pub(etc), 0o666);
    assertRefused(keys, 'KeyUnsafe', pub(etc));
    unlinkSync(pub(etc));
    assert.deepEqual(keys(), [fingerprint(2)]);
    makeDirectory(join(etc, `${app}.d`), 0o777);
    assertRefused(keys, 'KeyUnsafe', join(etc, `${app}.d`));
  });

  describe('while a key is rotated', () => {
    it('[R56] trusts the keys in the folder beside the file, in a fixed order', () => {
      const { etc, keys, pub, install } = setUp();
      const folder = makeDirectory(join(etc, `${app}.d`));
      install(join(folder, 'b.pub'), 3);
      install(join(folder, 'a.pub'), 2);
      install(join(folder, 'c.pub.new'), 4);
      assert.deepEqual(keys(), [fingerprint(2), fingerprint(3)]);
      install(pub(etc), 1);
      assert.deepEqual(keys(), [fingerprint(1), fingerprint(2), fingerprint(3)]);
    });

    it('[R56] leaves out a bad file, reports it, and lets the good ones count', () => {
      const { etc, keyring, keys, pub, install } = setUp();
      const folder = makeDirectory(join(etc, `${app}.d`));
      install(pub(etc), 1);
      const [weak, link] = [join(folder, 'weak.pub'), join(folder, 'link.pub')];
      write(weak, new Uint8Array(32));
      symlinkSync(install(join(etc, 'elsewhere'), 2), link);
      install(join(folder, 'good.pub'), 3);
      assert.deepEqual(keys(), [fingerprint(1), fingerprint(3)]);
      assert.deepEqual(
        keyring.list().problems.map(({ at, code }) => [at, code]),
        [
          [link, 'KeyUnsafe'],
          [weak, 'KeyWeak'],
        ],
      );
      write(pub(etc), 'short');
      assert.deepEqual(keys(), [fingerprint(3)]);
      unlinkSync(join(folder, 'good.pub'));
      assertRefused(keys, 'KeyMalformed', pub(etc));
    });

    it('[R56] refuses the folder when others can write it, when it is a link, and when it holds too many', () => {
      const { base, etc, keys, pub, install } = setUp();
      const folder = makeDirectory(join(etc, `${app}.d`), 0o775);
      install(join(folder, 'a.pub'), 2);
      assertRefused(keys, 'KeyUnsafe', folder);
      install(pub(etc), 1);
      assert.deepEqual(keys(), [fingerprint(1)]);
      unlinkSync(pub(etc));
      renameSync(folder, join(base, 'moved'));
      symlinkSync(makeDirectory(join(base, 'moved')), folder);
      assertRefused(keys, 'KeyUnsafe', folder);
      unlinkSync(folder);
      makeDirectory(folder);
      for (let number = 1; number <= 17; number++) install(join(folder, `${number}.pub`), number);
      assertRefused(keys, 'KeyUnsafe', folder);
      unlinkSync(join(folder, '17.pub'));
      assert.lengthOf(keys(), 16);
    });

    it('[R56] notices at once when a key of the folder comes, changes or goes', () => {
      const { etc, keys, pub, install, trusts, replace } = setUp(5000);
      const folder = join(etc, `${app}.d`);
      install(pub(etc), 1);
      assert.isFalse(trusts(2));
      makeDirectory(folder);
      install(join(folder, 'next.pub'), 2);
      assert.isTrue(trusts(2));
      writeFileSync(join(folder, 'next.pub'), publicBytes(3));
      assert.deepEqual([trusts(2), trusts(3)], [false, true]);
      replace(join(folder, 'next.pub'), 2);
      assert.deepEqual([trusts(2), trusts(3)], [true, false]);
      rmSync(folder, { recursive: true });
      assert.deepEqual([trusts(1), trusts(2)], [true, false]);
      assert.deepEqual(keys(), [fingerprint(1)]);
    });
  });

  // With the clock ahead the last reading counts as settled and only what `lstat` shows can end it.
  for (const [clock, later] of Object.entries({ settled: 5000, 'just written': 0 })) {
    describe(`when the files change (${clock})`, () => {
      it('[R56] trusts a key renamed over the old one at the first try, and the old one no more', () => {
        const { etc, keys, pub, install, replace, trusts } = setUp(later);
        install(pub(etc), 1);
        assert.deepEqual([trusts(1), trusts(2)], [true, false]);
        replace(pub(etc), 2);
        assert.deepEqual([trusts(1), trusts(2)], [false, true]);
        replace(pub(etc), 1);
        assert.deepEqual(keys(), [fingerprint(1)]);
      });

      it('[R52] stops trusting a removed key, and trusts it again when it is back', () => {
        const { etc, keyring, pub, install, trusts } = setUp(later);
        install(pub(etc), 1);
        assert.isTrue(trusts(1));
        unlinkSync(pub(etc));
        assert.isFalse(trusts(1));
        assertRefused(() => keyring.keysFor(app), 'KeyMissing', pub(etc));
        install(pub(etc), 1);
        assert.isTrue(trusts(1));
      });

      it('[R52] stops trusting when the whole directory is removed, replaced, exchanged for a link or opened to others', () => {
        const { base, etc, usr, pub, install, trusts } = setUp(later);
        install(pub(etc), 1);
        install(pub(usr), 2);
        assert.isTrue(trusts(1));
        chmodSync(etc, 0o777);
        assert.isFalse(trusts(1));
        chmodSync(etc, 0o755);
        assert.isTrue(trusts(1));
        if (runsAsRoot) {
          chownSync(etc, NOBODY, 0);
          assert.isFalse(trusts(1));
          chownSync(etc, 0, 0);
          assert.isTrue(trusts(1));
        }
        renameSync(etc, join(base, 'old'));
        assert.deepEqual([trusts(1), trusts(2)], [false, true], 'the package decides now');
        symlinkSync(join(base, 'old'), etc);
        assert.deepEqual([trusts(1), trusts(2)], [false, false]);
        unlinkSync(etc);
        mkdirSync(etc);
        install(pub(etc), 3);
        assert.deepEqual([trusts(1), trusts(2), trusts(3)], [false, false, true]);
      });

      it('[R52] refuses a link that is renamed over the key file, and one over a link', () => {
        const { base, etc, keyring, pub, install, trusts } = setUp(later);
        install(pub(etc), 1);
        assert.isTrue(trusts(1));
        for (const number of [1, 2]) {
          symlinkSync(install(join(base, `${number}`), number), join(etc, 'link'));
          renameSync(join(etc, 'link'), pub(etc));
          assert.isFalse(trusts(number));
          assertRefused(() => keyring.keysFor(app), 'KeyUnsafe', pub(etc));
        }
      });

      it('[R52] prefers a key that the administrator adds to the package that was trusted before', () => {
        const { etc, usr, pub, install, trusts } = setUp(later);
        install(pub(usr), 2);
        assert.isTrue(trusts(2));
        install(pub(etc), 1);
        assert.deepEqual([trusts(1), trusts(2)], [true, false]);
      });

      it('[R52] stops trusting a file that becomes writable or foreign', () => {
        const { etc, pub, install, trusts } = setUp(later);
        install(pub(etc), 1);
        assert.isTrue(trusts(1));
        chmodSync(pub(etc), 0o664);
        assert.isFalse(trusts(1));
        chmodSync(pub(etc), 0o644);
        assert.isTrue(trusts(1));
        if (runsAsRoot) {
          chownSync(pub(etc), NOBODY, 0);
          assert.isFalse(trusts(1));
        }
      });

      it('[R56] masks a key in every directory as soon as it is on the revoked list', () => {
        const { etc, usr, revoked, keyring, pub, install, trusts } = setUp(later);
        install(pub(etc), 1);
        install(pub(usr, other), 2);
        assert.deepEqual([trusts(1), trusts(2, other)], [true, true]);
        write(revoked, `${fingerprint(1)} # lost\n${Buffer.from(publicBytes(2)).toString('hex')}\n`);
        assert.deepEqual([trusts(1), trusts(2, other)], [false, false]);
        assertRefused(() => keyring.keysFor(app), 'KeyRevoked', pub(etc));
        install(pub(etc), 3);
        assert.isTrue(trusts(3));
        write(revoked, 'nonsense\n');
        assert.isFalse(trusts(3));
        assertRefused(() => keyring.keysFor(app), 'KeyMalformed', revoked);
        write(revoked, '', 0o666);
        assertRefused(() => keyring.keysFor(app), 'KeyUnsafe', revoked);
        assert.isFalse(trusts(3));
        unlinkSync(revoked);
        assert.isTrue(trusts(3));
      });
    });
  }

  it('[R56] notices two writes within one tick of the clock that stamps files', () => {
    const { etc, pub, install, trusts } = setUp();
    for (let round = 0; round < 50; round++) {
      install(pub(etc), 1);
      assert.isTrue(trusts(1));
      writeFileSync(pub(etc), publicBytes(2));
      assert.isFalse(trusts(1), `round ${round}`);
    }
  });

  it('[R52] ends its trust when a directory above becomes writable, at the next verification', () => {
    const { base, etc, keyring, pub, install } = setUp(5000);
    install(pub(etc), 1);
    keyring.keysFor(app);
    chmodSync(join(base, 'etc'), 0o777);
    assertRefused(() => keyring.keysFor(app), 'KeyUnsafe', join(base, 'etc'));
    assert.isFalse(keyring.isTrusted(app, fingerprint(1)));
  });

  it('[R52] shares nothing between keyrings, and uses the real clock by default', () => {
    const { etc, usr, revoked, pub, install } = setUp();
    install(pub(etc), 1);
    const options = { directories: [etc], revokedFile: revoked, owners: [thisUser] };
    assert.isTrue(new Keyring(options).isTrusted(app, fingerprint(1)));
    assert.isFalse(new Keyring({ ...options, directories: [usr] }).isTrusted(app, fingerprint(1)));
  });

  describe('list', () => {
    /** Each kind of bad entry beside a good one. */
    function hostile() {
      const made = setUp();
      const { base, etc } = made;
      const entry = (name: string): string => join(etc, `${name}.pub`);
      write(join(base, 'attacker.pub'), publicBytes(9));
      symlinkSync(join(base, 'attacker.pub'), entry('a'));
      write(entry('b'), publicBytes(2), 0o666);
      execFileSync('mkfifo', [entry('c')]);
      makeDirectory(entry('d'));
      write(entry('e'), Buffer.alloc(10_000_000, 1));
      write(entry('f'), '');
      symlinkSync('g.pub', entry('g'));
      write(entry('h'), publicBytes(3), 0o000);
      write(entry('i'), new Uint8Array(32));
      write(entry('ok'), publicBytes(1));
      return { ...made, entry };
    }
    const EXPECTED: Record<string, KeyErrorCode> = {
      a: 'KeyUnsafe',
      b: 'KeyUnsafe',
      c: 'KeyUnsafe',
      d: 'KeyUnsafe',
      e: 'KeyMalformed',
      f: 'KeyMalformed',
      g: 'KeyUnsafe',
      h: 'KeyUnsafe',
      i: 'KeyWeak',
    };

    it('[R52] trusts only the good one among links, pipes, directories, and files too long, empty, open or closed', () => {
      const { keyring, entry } = hostile();
      const { trusted, problems } = keyring.list();
      assert.deepEqual(trusted, [
        { appId: parseAppId('ok'), fingerprint: fingerprint(1), path: entry('ok') },
      ]);
      const found = Object.fromEntries(problems.map(({ at, code }) => [at, code]));
      assert.deepEqual(
        found,
        Object.fromEntries(Object.entries(EXPECTED).map(([name, code]) => [entry(name), code])),
      );
      for (const { message, at } of problems) assert.isBelow(message.length, at.length + 130, 'no contents');
    });

    for (const [name, code] of Object.entries(EXPECTED)) {
      it(`[R52] gives app ${name} of the same directory no key`, () => {
        const { keyring, entry } = hostile();
        const error = assertRefused(() => keyring.keysFor(parseAppId(name)), code);
        assert.equal(error.at, entry(name));
        for (const number of [1, 2, 3, 9])
          assert.isFalse(keyring.isTrusted(parseAppId(name), fingerprint(number)));
      });
    }

    it('[R52] trusts nothing at all in a directory that others can write, and says so once', () => {
      const { etc, usr, keyring, pub, install } = hostile();
      install(pub(usr), 2);
      chmodSync(etc, 0o777);
      const { trusted, problems } = keyring.list();
      assert.deepEqual(trusted, []);
      assert.deepEqual(
        problems.map(({ at, code }) => [at, code]),
        [[etc, 'KeyUnsafe']],
      );
      assertRefused(() => keyring.keysFor(parseAppId('ok')), 'KeyUnsafe', etc);
      assertRefused(() => keyring.keysFor(app), 'KeyUnsafe', etc);
    });

    it('[R56] shows which key counts, and which is revoked or out of place', () => {
      const { etc, usr, revoked, keyring, pub, install } = setUp();
      install(pub(etc), 1);
      install(pub(usr), 2);
      install(pub(usr, other), 3);
      makeDirectory(join(etc, 'conf.d'));
      makeDirectory(join(etc, 'sub'));
      write(join(etc, 'README'), 'x');
      install(join(etc, '.hidden.pub'), 4);
      install(join(etc, 'a b.pub'), 4);
      write(revoked, fingerprint(3));
      const { trusted, problems } = keyring.list();
      assert.deepEqual(trusted, [{ appId: app, fingerprint: fingerprint(1), path: pub(etc) }]);
      assert.deepEqual(problems.map(({ at, code }) => [at, code]).sort(), [
        [join(etc, '.hidden.pub'), 'AppIdInvalid'],
        [join(etc, 'a b.pub'), 'AppIdInvalid'],
        [pub(usr, other), 'KeyRevoked'],
      ]);
    });

    it('[R56] reports a bad revoked list even where there is no key', () => {
      const { revoked, keyring } = setUp();
      write(revoked, 'nonsense');
      const { trusted, problems } = keyring.list();
      assert.deepEqual(trusted, []);
      assert.deepEqual(
        problems.map(({ at, code }) => [at, code]),
        [[revoked, 'KeyMalformed']],
      );
    });

    it('never throws, not even for a fault in what it was given', () => {
      const { etc, revoked, pub, install } = setUp();
      install(pub(etc), 1);
      const now = (): number => {
        throw new Error('no clock');
      };
      const broken = new Keyring({ directories: [etc], revokedFile: revoked, owners: [thisUser], now });
      assert.deepEqual(
        broken.list().problems.map(({ code }) => code),
        ['KeyUnsafe'],
      );
      assert.isFalse(broken.isTrusted(app, fingerprint(1)));
    });
  });

  describe('watch', () => {
    it('[R56] tells of a key that is added, renamed over and removed, and of the revoked list', async () => {
      const { etc, revoked, keyring, pub, install, replace } = setUp();
      let changed: () => void = () => undefined;
      const watching = await keyring.watch(() => changed());
      const noticed = (act: () => void): Promise<void> =>
        new Promise((resolve) => {
          changed = resolve;
          act();
        });
      await noticed(() => install(pub(etc), 1));
      await noticed(() => replace(pub(etc), 2));
      await noticed(() => unlinkSync(pub(etc)));
      await noticed(() => write(revoked, fingerprint(1)));
      await watching.close();
    });

    it('starts and stops beside pipes, link loops and directories that are not there', async () => {
      const { base, etc, revoked } = setUp();
      execFileSync('mkfifo', [join(etc, 'c.pub')]);
      symlinkSync('g.pub', join(etc, 'g.pub'));
      const keyring = new Keyring({
        directories: [etc, join(base, 'none')],
        revokedFile: revoked,
        owners: [thisUser],
      });
      const watching = await keyring.watch(() => undefined);
      await watching.close();
      assert.sameMembers(readdirSync(etc), ['c.pub', 'g.pub']);
    });
  });
});
