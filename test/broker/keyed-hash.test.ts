// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert } from 'chai';
import { keyedHash } from '../../broker/keyed-hash.ts';
import { openStore } from '../../broker/store/database.ts';

describe('broker/keyed-hash', () => {
  const directories: string[] = [];
  const folder = (): string => {
    const directory = mkdtempSync(join(tmpdir(), 'portal-hash-'));
    directories.push(directory);
    return join(directory, 'store');
  };
  after(() => {
    for (const directory of directories) rmSync(directory, { recursive: true });
  });
  /** The hash of a text, by a broker that has just started on this store. */
  const hash = (directory: string, text: string): string => {
    const store = openStore({ directory });
    try {
      return keyedHash(store.deriveKey('commitment'))(new TextEncoder().encode(text));
    } finally {
      store.close();
    }
  };

  it('[R83] is the same after a restart, and says nothing in another store', () => {
    const [one, other] = [folder(), folder()];
    const before = hash(one, 'a');
    assert.match(before, /^[0-9a-f]{64}$/);
    assert.equal(hash(one, 'a'), before);
    assert.notEqual(hash(one, 'b'), before);
    assert.notEqual(hash(other, 'a'), before);
  });
});
