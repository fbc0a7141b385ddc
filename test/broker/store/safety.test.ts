// SPDX-License-Identifier: Apache-2.0
import { chmodSync, chownSync, lstatSync, writeFileSync } from 'node:fs';
import { assert } from 'chai';
import { isSafeFile, ownIdentity, prepareDirectory } from '../../../broker/store/safety.ts';
import { codeOf, type Temporary, temporaryDirectory } from './temporary.ts';

describe('broker/store/safety', () => {
  let temporary: Temporary;
  const own = ownIdentity();
  // Files cannot be given away without privileges, so it is we who pretend to be somebody else.
  const stranger = { uid: own.uid + 1, gid: own.gid + 1 };

  beforeEach(() => {
    temporary = temporaryDirectory();
  });
  afterEach(() => temporary.remove());

  it('takes what belongs to us or to root, and nothing else', () => {
    const file = temporary.in('file');
    writeFileSync(file, '', { mode: 0o600 });
    assert.isTrue(isSafeFile(file, own));
    assert.isFalse(isSafeFile(temporary.in('missing'), own));
    if (own.uid === 0) {
      assert.isTrue(isSafeFile(file, stranger), 'root’s file is fine for anybody');
      chownSync(file, 4711, 4711);
      chownSync(temporary.path, 4711, 4711);
    }
    assert.equal(
      codeOf(() => isSafeFile(file, stranger)),
      'StoreUnsafe',
    );
    assert.equal(
      codeOf(() => prepareDirectory(temporary.path, stranger)),
      'StoreUnsafe',
    );
  });

  it('lets a group write only where root owns the directory and the group is our own', () => {
    chmodSync(temporary.path, 0o770);
    const { uid, gid } = lstatSync(temporary.path);
    assert.equal(
      codeOf(() => prepareDirectory(temporary.path, { uid, gid: gid + 1 })),
      'StoreUnsafe',
    );
    assert.equal(
      codeOf(() => prepareDirectory(temporary.path, { uid, gid })),
      uid === 0 ? 'nothing thrown' : 'StoreUnsafe',
    );
  });

  it('says what to do', () => {
    chmodSync(temporary.path, 0o777);
    assert.throws(() => prepareDirectory(temporary.path, own), 'run `chmod 700` on it');
  });
});
