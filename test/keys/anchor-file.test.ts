// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { assert } from 'chai';
import { errorCode, isSafeDirectory, lstatEntry, readAnchorFile } from '../../keys/anchor-file.ts';
import {
  asOrdinaryUser,
  assertRefused,
  makeDirectory,
  NOBODY,
  removeScratch,
  runsAsRoot,
  scratch,
  thisUser,
  write,
} from './fixture.ts';

const owners = [thisUser];

/** A path and the owners under whom its owner is a stranger: root may always own, so root gives it away. */
function foreign(path: string): readonly number[] {
  if (runsAsRoot) chownSync(path, NOBODY, NOBODY);
  return [NOBODY - 1];
}

describe('keys/anchor-file', () => {
  afterEach(removeScratch);

  describe('readAnchorFile', () => {
    const inScratch = (name: string): string => join(scratch(), name);
    const refuse = (
      path: string,
      code: 'KeyUnsafe' | 'KeyMissing' | 'KeyMalformed',
      says: RegExp,
      of = owners,
      most = 32,
    ): void => {
      assert.match(assertRefused(() => readAnchorFile(path, of, most), code, path).message, says);
    };

    it('[R52] reads a regular file of an owner, up to the limit', () => {
      for (const mode of [0o644, 0o600, 0o444, 0o400]) {
        const { bytes } = readAnchorFile(write(inScratch('f'), 'x'.repeat(32), mode), owners, 32);
        assert.equal(Buffer.from(bytes).toString(), 'x'.repeat(32));
      }
      assert.lengthOf(readAnchorFile(write(inScratch('f'), ''), owners, 32).bytes, 0);
      refuse(write(inScratch('f'), 'x'.repeat(33)), 'KeyMalformed', /longer than 32/);
      refuse(write(inScratch('f'), Buffer.alloc(10_000_000)), 'KeyMalformed', /longer than 32/);
    });

    it('[R52] refuses what is not there', () => {
      refuse(inScratch('none'), 'KeyMissing', /does not exist/);
      refuse(inScratch('n'.repeat(300)), 'KeyMissing', /does not exist/);
      refuse(join(write(inScratch('f'), 'x'), 'below'), 'KeyUnsafe', /cannot be looked at \(ENOTDIR\)/);
    });

    it('[R52] refuses links, to a good file, to nothing and to themselves', () => {
      const directory = scratch();
      symlinkSync(write(join(directory, 'good'), 'x'), join(directory, 'link'));
      symlinkSync(join(directory, 'none'), join(directory, 'dangling'));
      symlinkSync('self', join(directory, 'self'));
      for (const name of ['link', 'dangling', 'self'])
        refuse(join(directory, name), 'KeyUnsafe', /not a regular file/);
    });

    it('[R52] refuses a directory, a pipe, a device and a socket without opening them', async () => {
      refuse(makeDirectory(inScratch('d')), 'KeyUnsafe', /not a regular file/);
      const pipe = inScratch('pipe');
      execFileSync('mkfifo', [pipe]);
      refuse(pipe, 'KeyUnsafe', /not a regular file/);
      refuse('/dev/null', 'KeyUnsafe', /not a regular file/);
      const socket = inScratch('socket');
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(socket, resolve));
      refuse(socket, 'KeyUnsafe', /not a regular file/);
      await new Promise((resolve) => server.close(resolve));
    });

    it('[R52] refuses a file that others may write, or that its owner may not read', () => {
      for (const mode of [0o666, 0o664, 0o646, 0o622]) {
        refuse(write(inScratch('f'), 'x', mode), 'KeyUnsafe', /writable by group or others/);
      }
      refuse(write(inScratch('f'), 'x', 0o000), 'KeyUnsafe', /not readable by its owner|cannot be opened/);
      refuse(write(inScratch('f'), 'x', 0o044), 'KeyUnsafe', /not readable by its owner|cannot be opened/);
    });

    it('[R52] refuses a file of somebody else', () => {
      const path = write(inScratch('f'), 'x');
      refuse(path, 'KeyUnsafe', /belongs to uid \d+, who may not own it/, [...foreign(path)]);
    });

    it('[R52] refuses a file or directory that the process may not look at', () => {
      const directory = scratch();
      const path = write(join(directory, 'f'), 'x', 0o400);
      chmodSync(directory, 0o755);
      // An ordinary user can always open what is its own and readable; every system has one file of root's that it cannot.
      const closed = runsAsRoot ? path : '/etc/shadow';
      asOrdinaryUser(() => refuse(closed, 'KeyUnsafe', /cannot be opened \(EACCES\)/, owners, 10_000_000));
      chmodSync(directory, 0o600);
      asOrdinaryUser(() => refuse(path, 'KeyUnsafe', /cannot be looked at \(EACCES\)/));
      chmodSync(directory, 0o700);
    });
  });

  describe('isSafeDirectory', () => {
    it('[R52] takes a directory that only owners can exchange, and says when there is none', () => {
      const directory = scratch();
      assert.isTrue(isSafeDirectory(directory, owners));
      assert.isTrue(isSafeDirectory('/', owners));
      assert.isFalse(isSafeDirectory(join(directory, 'none'), owners));
      assert.isFalse(isSafeDirectory(join(directory, 'none', 'below'), owners));
    });

    for (const mode of [0o777, 0o775, 0o757, 0o1777, 0o1775]) {
      it(`[R52] refuses a directory of mode ${mode.toString(8)}`, () => {
        const directory = makeDirectory(join(scratch(), 'keys'), mode);
        const { message } = assertRefused(() => isSafeDirectory(directory, owners), 'KeyUnsafe', directory);
        assert.match(message, /writable by group or others/);
      });
    }

    it('[R52] refuses a directory below one that others can write, unless that one is sticky', () => {
      const above = makeDirectory(join(scratch(), 'above'), 0o777);
      const directory = makeDirectory(join(above, 'between', 'keys'));
      assertRefused(() => isSafeDirectory(directory, owners), 'KeyUnsafe', above);
      chmodSync(above, 0o1777);
      assert.isTrue(isSafeDirectory(directory, owners));
    });

    it('[R52] refuses a link in the place of the directory or of one above it', () => {
      const base = scratch();
      const real = makeDirectory(join(base, 'real', 'keys'));
      symlinkSync(join(base, 'real'), join(base, 'link'));
      symlinkSync(real, join(base, 'keys'));
      assertRefused(() => isSafeDirectory(join(base, 'keys'), owners), 'KeyUnsafe', join(base, 'keys'));
      assertRefused(
        () => isSafeDirectory(join(base, 'link', 'keys'), owners),
        'KeyUnsafe',
        join(base, 'link'),
      );
      const file = write(join(base, 'file'), 'x');
      assertRefused(() => isSafeDirectory(file, owners), 'KeyUnsafe', file);
    });

    it('[R52] refuses a directory of somebody else, here or above', () => {
      const above = makeDirectory(join(scratch(), 'above'));
      const directory = makeDirectory(join(above, 'keys'));
      const strangers = foreign(above);
      assertRefused(() => isSafeDirectory(directory, strangers), 'KeyUnsafe');
      if (runsAsRoot) assert.isTrue(isSafeDirectory(directory, [NOBODY]), 'an owner among others');
    });
  });

  it('says unknown for what is no error of the system', () => {
    assert.equal(errorCode(new Error('x')), 'unknown');
    assert.equal(errorCode('ENOENT'), 'unknown');
    assert.isUndefined(lstatEntry(join(scratch(), 'none')));
    assertRefused(() => lstatEntry('a\0b'), 'KeyUnsafe');
  });
});
