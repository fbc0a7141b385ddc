// SPDX-License-Identifier: Apache-2.0
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert } from 'chai';
import { createFile, makeDirectory, replaceFile } from '../../keys/atomic-file.ts';
import { assertRefused, removeScratch, scratch, utf8, write } from './fixture.ts';

describe('keys/atomic-file', () => {
  afterEach(removeScratch);

  const inScratch = (content: () => Uint8Array = () => utf8('new')) => {
    const directory = scratch();
    const [path, temporary] = [join(directory, 'file'), join(directory, '.new')];
    return { directory, path, write: { path, temporary, content, mode: 0o644 } };
  };
  const failing = (): Uint8Array => {
    throw new Error('the content cannot be made');
  };

  for (const put of [replaceFile, createFile]) {
    it(`${put.name} puts the content in place and leaves nothing else`, () => {
      const { directory, path, write } = inScratch();
      put(write);
      assert.equal(readFileSync(path, 'utf8'), 'new');
      assert.deepEqual(readdirSync(directory), ['file']);
    });

    it(`${put.name} takes its temporary file away when the content fails`, () => {
      const { directory, write } = inScratch(failing);
      assert.throws(() => put(write), /cannot be made/);
      assert.isEmpty(readdirSync(directory));
    });

    it(`${put.name} asks for the content only once the temporary path is its own`, () => {
      const { directory, path, write } = inScratch(() => {
        assert.deepEqual(readdirSync(directory), ['.new']);
        return utf8('late');
      });
      put(write);
      assert.equal(readFileSync(path, 'utf8'), 'late');
    });

    it(`${put.name} leaves a temporary file that is not its own`, () => {
      const { directory, write: wanted } = inScratch(failing);
      write(wanted.temporary, 'somebody');
      assertRefused(() => put(wanted), 'KeyExists', wanted.temporary);
      assert.deepEqual(readdirSync(directory), ['.new']);
    });

    it(`${put.name} passes on a fault of the system and leaves nothing`, () => {
      const { directory, write } = inScratch();
      assert.throws(() => put({ ...write, temporary: join(directory, 'none', '.new') }), /ENOENT/);
      assert.throws(() => put({ ...write, path: join(directory, 'none', 'file') }), /ENOENT/);
      assert.isEmpty(readdirSync(directory));
    });
  }

  it('createFile never replaces', () => {
    const { directory, path, write: wanted } = inScratch();
    write(path, 'old');
    assertRefused(() => createFile(wanted), 'KeyExists', path);
    assert.equal(readFileSync(path, 'utf8'), 'old');
    assert.deepEqual(readdirSync(directory), ['file']);
  });

  it('makeDirectory leaves what is there and passes on a fault', () => {
    const directory = scratch();
    const path = write(join(directory, 'file'), 'x');
    makeDirectory(path, 0o700);
    assert.equal(readFileSync(path, 'utf8'), 'x');
    assert.throws(() => makeDirectory(join(directory, 'none', 'x'), 0o700), /ENOENT/);
    assert.isFalse(existsSync(join(directory, 'none')));
  });
});
