// SPDX-License-Identifier: Apache-2.0
import type { KeyObject } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { asStoreError, StoreError } from './error.ts';
import { deriveKey, type KeyPurpose, loadKey } from './key.ts';
import { takeLock } from './lock.ts';
import { type Identity, isSafeFile, ownIdentity, prepareDirectory } from './safety.ts';
import { hasExpectedSchema, migrate } from './schema.ts';

/** `full`: on the disk before the call returns. `normal`: survives our death at once, a power cut within moments. */
export type Durability = 'normal' | 'full';

export interface StoreOptions {
  /** Absolute path. Made 0700 when missing; refused when it is a link or somebody else could change it. */
  readonly directory: string;
}

/** The broker's one durable store, held by one process at a time. */
export interface Store {
  readonly databasePath: string;
  readonly keyPath: string;
  readonly database: DatabaseSync;
  /** A key for one purpose. The key in the file itself is not handed out. */
  deriveKey(purpose: KeyPurpose): KeyObject;
  /** Runs `work` (synchronous) whole or not at all. Throws `StoreError`; a `HistoryError` of `work` passes through. */
  transaction<T>(durability: Durability, work: () => T): T;
  /** The same for `work` that executes one statement: SQLite makes that whole or nothing by itself. */
  statement<T>(durability: Durability, work: () => T): T;
  close(): void;
}

/** How long a write waits for another process that holds the database, in milliseconds: the event loop stands still. */
const BUSY_MS = 100;
/** What the write-ahead log is cut back to once its content is in the database, in bytes. */
const WAL_BYTES = 4 * 1024 * 1024;

/**
 * Opens the store, making it on first use: `broker.db`, `audit.key` (32 random bytes) and `broker.lock`, all 0600.
 * Throws `StoreError`: `StoreUnsafe`, `StoreLocked` (another broker), `StoreNewer`, `StoreCorrupt` (also: the key is gone
 * or the schema was edited), `StoreFull`, `StoreReadOnly`, `StoreFailed`.
 */
export function openStore({ directory }: StoreOptions): Store {
  const own = ownIdentity();
  prepareDirectory(directory, own);
  const path = (name: string): string => join(directory, name);
  for (const name of ['broker.lock', 'broker.db', 'broker.db-wal', 'broker.db-shm', 'audit.key']) {
    isSafeFile(path(name), own);
  }
  makeFile(path('broker.lock'), own);
  const lock = takeLock(path('broker.lock'));
  let database: DatabaseSync | undefined;
  try {
    makeFile(path('broker.db'), own);
    database = openDatabase(path('broker.db'));
    const key = loadKey(path('audit.key'), own, hasHistory(database));
    const opened = database;
    return makeStore(directory, opened, key, () => {
      opened.close();
      lock.release();
    });
  } catch (error) {
    database?.close();
    lock.release();
    throw asStoreError(error, `opening the store \`${directory}\``);
  }
}

/** SQLite would make it readable by everybody; what it adds later (`-wal`, `-shm`) gets this file's mode. */
function makeFile(path: string, own: Identity): void {
  if (isSafeFile(path, own)) return;
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    throw asStoreError(error, `making \`${path}\``);
  }
}

function openDatabase(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: BUSY_MS, defensive: true });
  try {
    // recursive_triggers: without it INSERT OR REPLACE deletes a row past the trigger that forbids deleting.
    // trusted_schema: an edited schema cannot make our own statements call functions with side effects.
    // secure_delete: what retention removes is overwritten, not just unlinked.
    database.exec(
      `PRAGMA trusted_schema = OFF; PRAGMA recursive_triggers = ON; PRAGMA secure_delete = ON;
       PRAGMA journal_mode = WAL; PRAGMA journal_size_limit = ${WAL_BYTES}; PRAGMA synchronous = NORMAL`,
    );
    migrate(database);
    if (!hasExpectedSchema(database)) {
      throw new StoreError(
        'StoreCorrupt',
        `somebody edited the schema of \`${path}\`: restore it from a backup`,
      );
    }
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function hasHistory(database: DatabaseSync): boolean {
  return database.prepare('SELECT 1 FROM events UNION ALL SELECT 1 FROM anchor LIMIT 1').get() !== undefined;
}

function makeStore(directory: string, database: DatabaseSync, key: KeyObject, close: () => void): Store {
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  let current: Durability = 'normal';
  const write = <T>(durability: Durability, work: () => T): T => {
    try {
      // Not possible inside a transaction, and not free: only when it changes.
      if (durability !== current) database.exec(`PRAGMA synchronous = ${durability}`);
      current = durability;
      return work();
    } catch (error) {
      // A full disk has SQLite roll back by itself.
      if (database.isOpen && database.isTransaction) database.exec('ROLLBACK');
      throw asStoreError(error, 'writing the store');
    }
  };
  return {
    databasePath: join(directory, 'broker.db'),
    keyPath: join(directory, 'audit.key'),
    database,
    deriveKey: (purpose) => deriveKey(key, purpose),
    statement: write,
    transaction: (durability, work) =>
      write(durability, () => {
        begin.run();
        const result = work();
        commit.run();
        return result;
      }),
    close() {
      if (database.isOpen) close();
    },
  };
}
