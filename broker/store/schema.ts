// SPDX-License-Identifier: Apache-2.0
import { DatabaseSync } from 'node:sqlite';
import { StoreError } from './error.ts';

/**
 * `MIGRATIONS[n]` leads from schema version n to n + 1 (`PRAGMA user_version`). Never edit one that was released: add one.
 *
 * The triggers guard against accidents, ours and a curious person's. They are no protection from somebody who can edit
 * the file; that is found by the chain of MACs.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE events (seq INTEGER PRIMARY KEY, body TEXT NOT NULL, mac BLOB NOT NULL) STRICT;
  CREATE TABLE anchor (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    seq INTEGER NOT NULL, mac BLOB NOT NULL, open TEXT NOT NULL, tag BLOB NOT NULL
  ) STRICT;
  CREATE TABLE settled (id INTEGER PRIMARY KEY CHECK (id = 1), seq INTEGER NOT NULL) STRICT;
  INSERT INTO settled VALUES (1, 0);

  CREATE TRIGGER events_append_only BEFORE INSERT ON events
  WHEN new.seq <> 1 + coalesce((SELECT max(seq) FROM events), (SELECT seq FROM anchor), 0)
  BEGIN SELECT raise(ABORT, 'events are only appended'); END;
  CREATE TRIGGER events_unchanged BEFORE UPDATE ON events
  BEGIN SELECT raise(ABORT, 'events are never changed'); END;
  CREATE TRIGGER events_kept BEFORE DELETE ON events
  WHEN old.seq > coalesce((SELECT seq FROM anchor), 0)
  BEGIN SELECT raise(ABORT, 'events are only removed by retention'); END;

  CREATE TABLE manifests (
    app_id TEXT PRIMARY KEY, digest TEXT NOT NULL,
    revision INTEGER, version TEXT, rollback_allowed INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE definitions (
    app_id TEXT NOT NULL, id TEXT NOT NULL, version TEXT NOT NULL, digest TEXT NOT NULL,
    PRIMARY KEY (app_id, id, version)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  CREATE TABLE rules (id TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT;
  CREATE TABLE grants (
    id TEXT PRIMARY KEY, body TEXT NOT NULL, granted_by TEXT NOT NULL,
    operations INTEGER NOT NULL CHECK (operations > 0),
    used INTEGER NOT NULL DEFAULT 0 CHECK (used BETWEEN 0 AND operations)
  ) STRICT;
  CREATE TABLE capability_requests (
    id TEXT PRIMARY KEY, principal TEXT NOT NULL, name TEXT NOT NULL, body TEXT NOT NULL,
    opened_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, state TEXT NOT NULL, note TEXT
  ) STRICT;
  CREATE TABLE suspensions (principal TEXT PRIMARY KEY, until INTEGER) STRICT;
  CREATE TABLE decisions (
    id INTEGER PRIMARY KEY, principal TEXT NOT NULL, capability TEXT NOT NULL,
    decision TEXT NOT NULL, time INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX decisions_of ON decisions (principal, capability, time);
  CREATE TABLE approvals (
    id TEXT PRIMARY KEY, body TEXT NOT NULL, state TEXT NOT NULL, expires_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE session (id INTEGER PRIMARY KEY CHECK (id = 1), locked INTEGER NOT NULL) STRICT;
  INSERT INTO session VALUES (1, 0);
  `,
];

/** Brings an older store up to date, each step whole or not at all; refuses one that a newer broker wrote. */
export function migrate(database: DatabaseSync, migrations: readonly string[] = MIGRATIONS): void {
  const found = schemaVersion(database);
  if (found > migrations.length) {
    throw new StoreError(
      'StoreNewer',
      `the store has schema ${found} and this broker knows ${migrations.length}: run the newer broker that wrote it`,
    );
  }
  migrations.slice(found).forEach((step, index) => {
    database.exec(`BEGIN IMMEDIATE; ${step}; PRAGMA user_version = ${found + index + 1}; COMMIT`);
  });
}

/** The schema version the database says it has. */
export function schemaVersion(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.user_version ?? 0);
}

/**
 * Whether tables and triggers are exactly what the migrations make. A dropped guard, or a trigger that somebody added and
 * that would rewrite what is stored, shows here.
 */
export function hasExpectedSchema(
  database: DatabaseSync,
  migrations: readonly string[] = MIGRATIONS,
): boolean {
  const model = new DatabaseSync(':memory:');
  try {
    migrate(model, migrations.slice(0, schemaVersion(database)));
    return schemaText(model) === schemaText(database);
  } finally {
    model.close();
  }
}

function schemaText(database: DatabaseSync): string {
  return JSON.stringify(
    database.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name').all(),
  );
}
