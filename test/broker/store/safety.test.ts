// SPDX-License-Identifier: Apache-2.0
import { chmodSync, lstatSync, writeFileSync } from 'node:fs';
import { assert } from 'chai';
import { isSafeFile, ownIdentity, prepareDirectory } from '../../../broker/store/safety.ts';
import { codeOf, type Temporary, temporaryDirectory } from './temporary.ts';

describe('broker/store/safety', () => {
  let temporary: Temporary;
  const own = ownIdentity();
  // Real files cannot be given away without privileges, so it is we who pretend to be somebody else.
  const stranger = { uid: own.uid + 1, gid: own.gid + 1 };

  beforeEach(() => {
    temporary = temporaryDirectory();
  });
  afterEach(() => temporary.remove());

  it('takes what belongs to us or to root, and nothing else', () => {
    writeFileSync(temporary.in('file'), '', { mode: 0o600 });
    assert.isTrue(isSafeFile(temporary.in('file'), own));
    assert.isFalse(isSafeFile(temporary.in('missing'), own));
    const forStranger = own.uid === 0 ? 'nothing thrown' : 'StoreUnsafe';
    assert.equal(
      codeOf(() => isSafeFile(temporary.in('file'), stranger)),
      forStranger,
    );
    assert.equal(
      codeOf(() => prepareDirectory(temporary.path, stranger)),
      forStranger,
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
