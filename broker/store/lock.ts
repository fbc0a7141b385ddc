// SPDX-License-Identifier: Apache-2.0
import { DatabaseSync } from 'node:sqlite';
import { asStoreError, StoreError } from './error.ts';

/** Held for as long as the process uses the store. */
export interface StoreLock {
  release(): void;
}

/**
 * Makes this process the only broker on the store. The lock is SQLite's own exclusive lock on an empty database beside
 * the real one: the kernel drops it when the process ends, however it ends, so there is no stale lock and no pid to guess
 * about; readers of the real database never meet it; and a second attempt inside the same process is refused as well.
 */
export function takeLock(path: string): StoreLock {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: 0 });
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database?.close();
    const failure = asStoreError(error, `locking \`${path}\``);
    if (failure.code !== 'StoreLocked') throw failure;
    throw new StoreError('StoreLocked', `another broker uses this store (\`${path}\` is locked)`, {
      cause: error,
    });
  }
  const held = database;
  return { release: () => held.close() };
}
