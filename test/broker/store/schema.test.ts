// SPDX-License-Identifier: Apache-2.0
import { DatabaseSync } from 'node:sqlite';
import { assert } from 'chai';
import { hasExpectedSchema, MIGRATIONS, migrate, schemaVersion } from '../../../broker/store/schema.ts';
import { codeOf } from './temporary.ts';

describe('broker/store/schema', () => {
  let database: DatabaseSync;
  const later = [...MIGRATIONS, 'CREATE TABLE added (id INTEGER PRIMARY KEY) STRICT'];

  beforeEach(() => {
    database = new DatabaseSync(':memory:');
  });
  afterEach(() => database.close());

  it('brings an older store up to date and keeps what is in it', () => {
    migrate(database);
    database.exec("INSERT INTO manifests VALUES ('a', 'b', 1, '1', 0)");
    migrate(database, later);
    assert.equal(schemaVersion(database), later.length);
    assert.equal(database.prepare('SELECT app_id FROM manifests').get()?.app_id, 'a');
    assert.isTrue(hasExpectedSchema(database, later));
    migrate(database, later);
  });

  it('leads from every released schema to the present one', () => {
    for (const released of MIGRATIONS.keys()) {
      const older = new DatabaseSync(':memory:');
      migrate(older, MIGRATIONS.slice(0, released));
      migrate(older);
      assert.isTrue(hasExpectedSchema(older), `from ${released}`);
      older.close();
    }
  });

  it('[R107] a count beyond what was granted cannot be stored', () => {
    migrate(database);
    const grant = "INSERT INTO grants (id, body, granted_by, operations) VALUES ('g', '{}', 'person', ";
    for (const operations of ['0', '-1', '1.5', 'NULL']) {
      assert.throws(() => database.exec(`${grant}${operations})`), /constraint|INTEGER/);
    }
    database.exec(`${grant}1)`);
    database.exec('UPDATE grants SET used = used + 1');
    assert.throws(() => database.exec('UPDATE grants SET used = used + 1'), 'constraint');
  });

  it('refuses a store that a newer broker wrote', () => {
    migrate(database, later);
    assert.equal(
      codeOf(() => migrate(database)),
      'StoreNewer',
    );
  });

  it('leaves an older store as it was when a step fails', () => {
    migrate(database);
    const broken = [...MIGRATIONS, 'CREATE TABLE half (id INTEGER); CREATE TABLE half (id INTEGER)'];
    assert.throws(() => migrate(database, broken), 'already exists');
    database.exec('ROLLBACK');
    assert.equal(schemaVersion(database), MIGRATIONS.length);
    assert.isTrue(hasExpectedSchema(database));
  });

  it('sees a dropped guard and a trigger that was added', () => {
    migrate(database);
    assert.isTrue(hasExpectedSchema(database));
    database.exec('CREATE TRIGGER spy AFTER INSERT ON events BEGIN SELECT 1; END');
    assert.isFalse(hasExpectedSchema(database));
    database.exec('DROP TRIGGER spy');
    assert.isTrue(hasExpectedSchema(database));
    database.exec('DROP TRIGGER events_unchanged');
    assert.isFalse(hasExpectedSchema(database));
  });
});
