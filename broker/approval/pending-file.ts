// SPDX-License-Identifier: Apache-2.0
import { closeSync, openSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { asStoreError, StoreError } from '../store/error.ts';
import { isSafeFile, ownIdentity } from '../store/safety.ts';

/**
 * The parameters and words of what waits for a person, in a file of their own (0600), so that the store itself never
 * holds them. What is removed is overwritten.
 *
 * Nothing waits for the disk: what is in here matters only while the connections that asked are still on the bus, and
 * those do not survive a power cut. A file that cannot be read is thrown away, and what waited is void.
 */
export class PendingFile {
  readonly #database: DatabaseSync;

  /** Makes the file when there is none. Throws `StoreUnsafe` where somebody else could read or change it. */
  constructor(path: string) {
    const own = ownIdentity();
    for (const name of [path, `${path}-journal`]) isSafeFile(name, own);
    try {
      this.#database = open(path);
    } catch (error) {
      const failure = asStoreError(error, `opening \`${path}\``);
      if (!(failure instanceof StoreError) || failure.code !== 'StoreCorrupt') throw failure;
      for (const name of [path, `${path}-journal`]) rmSync(name, { force: true });
      this.#database = open(path);
    }
  }

  keep(id: string, text: string): void {
    this.#write('keeping what waits', 'INSERT OR REPLACE INTO pending (id, body) VALUES (?, ?)', [id, text]);
  }

  read(id: string): string | undefined {
    const body = this.#database.prepare('SELECT body FROM pending WHERE id = ?').get(id)?.body;
    return typeof body === 'string' ? body : undefined;
  }

  scrub(id: string): void {
    this.#write('scrubbing', 'DELETE FROM pending WHERE id = ?', [id]);
  }

  /** Scrubs whatever is in here but these. */
  keepOnly(ids: readonly string[]): void {
    this.#write('scrubbing', 'DELETE FROM pending WHERE id NOT IN (SELECT value FROM json_each(?))', [
      JSON.stringify(ids),
    ]);
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }

  #write(doing: string, statement: string, values: readonly string[]): void {
    try {
      this.#database.prepare(statement).run(...values);
    } catch (error) {
      throw asStoreError(error, doing);
    }
  }
}

function open(path: string): DatabaseSync {
  if (!isSafeFile(path, ownIdentity())) closeSync(openSync(path, 'wx', 0o600));
  const database = new DatabaseSync(path, { timeout: 0, defensive: true });
  try {
    // A rollback journal that is cut to nothing after each write: in a write-ahead log scrubbed text would live on.
    database.exec(
      `PRAGMA trusted_schema = OFF; PRAGMA secure_delete = ON; PRAGMA journal_mode = TRUNCATE;
       PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY;
       CREATE TABLE IF NOT EXISTS pending (id TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID;`,
    );
    database.prepare('SELECT count(*) FROM pending').get();
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
