// SPDX-License-Identifier: Apache-2.0
import { chmodSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { assert } from 'chai';
import { readRevokedList } from '../../keys/revoked.ts';
import { publicKeyOf } from '../../keys/sign.ts';
import {
  assertRefused,
  fingerprint,
  makeDirectory,
  publicBytes,
  removeScratch,
  scratch,
  secret,
  thisUser,
  write,
} from './fixture.ts';

const rawHex = (number: number): string => Buffer.from(publicBytes(number)).toString('hex');

describe('keys/revoked', () => {
  afterEach(removeScratch);

  const read = (content: string) => readRevokedList(write(join(scratch(), 'revoked'), content), [thisUser]);
  const listed = (content: string): number[] => {
    const list = read(content);
    return [1, 2, 3].filter((number) => list.has(publicKeyOf(secret(number))));
  };

  it('[R56] is empty when there is no file, or not even its directory', () => {
    for (const path of [join(scratch(), 'revoked'), join(scratch(), 'none', 'revoked')]) {
      const list = readRevokedList(path, [thisUser]);
      assert.isFalse(list.has(publicKeyOf(secret(1))));
      assert.equal(list.text, '');
    }
  });

  it('[R56] names keys by fingerprint or by their own bytes, in either case, with comments', () => {
    assert.deepEqual(listed(''), []);
    assert.deepEqual(listed(`# lost laptop\n\n${fingerprint(1)}\n`), [1]);
    assert.deepEqual(listed(`${fingerprint(1)} # a laptop\r\n${rawHex(2).toUpperCase()}\t#\r\n`), [1, 2]);
    assert.deepEqual(listed(`  # indented\n${rawHex(3)}`), [3]);
    assert.deepEqual(listed(`# ${fingerprint(1)}\n`), []);
  });

  it('[R56] is refused as a whole for one line that names no key', () => {
    const almost = [
      fingerprint(1).slice(1),
      `${fingerprint(1)}0`,
      `0x${fingerprint(1)}`,
      ` ${fingerprint(1)}`,
      'org.x',
    ];
    for (const line of [...almost, `${fingerprint(1)} ${fingerprint(2)}`, '\0', `${fingerprint(1)}x # y`]) {
      const { message } = assertRefused(() => read(`${fingerprint(2)}\n${line}\n`), 'KeyMalformed');
      assert.match(message, /^line 2 of /);
    }
    assertRefused(() => read('#'.repeat(1024 * 1024 + 1)), 'KeyMalformed');
  });

  it('[R56] is refused when others could have written it or taken it away', () => {
    const directory = scratch();
    const path = write(join(directory, 'revoked'), fingerprint(1), 0o664);
    assertRefused(() => readRevokedList(path, [thisUser]), 'KeyUnsafe', path);
    const link = join(directory, 'link');
    symlinkSync(path, link);
    assertRefused(() => readRevokedList(link, [thisUser]), 'KeyUnsafe', link);
    makeDirectory(join(directory, 'folder'));
    assertRefused(() => readRevokedList(join(directory, 'folder'), [thisUser]), 'KeyUnsafe');
    chmodSync(directory, 0o777);
    assertRefused(() => readRevokedList(join(directory, 'absent'), [thisUser]), 'KeyUnsafe', directory);
  });
});
