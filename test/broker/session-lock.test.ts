// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert } from 'chai';
import { SessionLock } from '../../broker/session-lock.ts';
import { openStore, type Store } from '../../broker/store/database.ts';
import { StoreError } from '../../broker/store/error.ts';

describe('the session lock', () => {
  let directory: string;
  let store: Store;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'portal-lock-'));
    store = openStore({ directory });
  });

  afterEach(() => {
    store.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it('[R135] is open at first, and is what the compositor said last, also after a restart', () => {
    assert.isFalse(new SessionLock(store).locked);
    new SessionLock(store).set(true);
    store.close();
    store = openStore({ directory });
    const lock = new SessionLock(store);
    assert.isTrue(lock.locked);
    lock.set(false);
    assert.isFalse(new SessionLock(store).locked);
  });

  it('[R135] locks where that cannot be stored, and does not unlock then', () => {
    const broken = {
      database: store.database,
      transaction: () => {
        throw new StoreError('StoreFull', 'no space');
      },
    };
    const lock = new SessionLock(broken);
    assert.throws(() => lock.set(true), StoreError);
    assert.isTrue(lock.locked);
    assert.throws(() => lock.set(false), StoreError);
    assert.isTrue(lock.locked);
  });
});
