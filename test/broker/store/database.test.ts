// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { assert } from 'chai';
import { openStore, type Store } from '../../../broker/store/database.ts';
import { HistoryError } from '../../../broker/store/error.ts';
import { MIGRATIONS } from '../../../broker/store/schema.ts';
import { codeOf, type Temporary, temporaryDirectory } from './temporary.ts';

describe('broker/store/database', () => {
  let temporary: Temporary;
  let directory: string;
  let opened: Store[];

  function open(): Store {
    const store = openStore({ directory });
    opened.push(store);
    return store;
  }

  function edit(sql: string): void {
    const database = new DatabaseSync(join(directory, 'broker.db'));
    database.exec(sql);
    database.close();
  }

  beforeEach(() => {
    temporary = temporaryDirectory();
    directory = temporary.in('state/store');
    opened = [];
  });
  afterEach(() => {
    for (const store of opened) store.close();
    temporary.remove();
  });

  it('makes a directory and files that are ours alone', () => {
    const store = open();
    store.transaction('full', () =>
      store.database.exec("INSERT INTO manifests VALUES ('a', 'b', 1, '1', 0)"),
    );
    assert.equal(lstatSync(directory).mode & 0o777, 0o700);
    for (const name of ['broker.db', 'broker.db-wal', 'broker.db-shm', 'broker.lock', 'audit.key']) {
      assert.equal(lstatSync(join(directory, name)).mode & 0o777, 0o600, name);
    }
    assert.lengthOf(readFileSync(store.keyPath), 32);
    assert.deepEqual({ ...store.database.prepare('PRAGMA journal_mode').get() }, { journal_mode: 'wal' });
    assert.deepEqual(
      { ...store.database.prepare('PRAGMA recursive_triggers').get() },
      { recursive_triggers: 1 },
    );
  });

  it('keeps its key and derives another for each purpose', () => {
    const first = open();
    const chain = first.deriveKey('audit chain').export().toString('hex');
    assert.notEqual(chain, first.deriveKey('audit anchor').export().toString('hex'));
    assert.notEqual(chain, first.deriveKey('commitment').export().toString('hex'));
    assert.notEqual(chain, readFileSync(first.keyPath).toString('hex'));
    first.close();
    first.close();
    assert.equal(open().deriveKey('audit chain').export().toString('hex'), chain);
  });

  it('prints no warning of the runtime', () => {
    const program = `
      const { openStore } = await import(${JSON.stringify(join(import.meta.dirname, '../../../broker/store/database.ts'))});
      openStore({ directory: ${JSON.stringify(directory)} }).close();`;
    const ran = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
    assert.deepEqual([ran.status, ran.stderr], [0, '']);
  });

  it('refuses a second broker, in this process and in another, and lets a reader in', () => {
    const store = open();
    assert.equal(codeOf(open), 'StoreLocked');
    const program = `
      const { openStore } = await import(${JSON.stringify(join(import.meta.dirname, '../../../broker/store/database.ts'))});
      try { openStore({ directory: ${JSON.stringify(directory)} }); } catch (error) { process.stdout.write(error.code); }`;
    const other = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
    assert.equal(other.stdout, 'StoreLocked');
    const reader = new DatabaseSync(store.databasePath, { readOnly: true });
    assert.equal(reader.prepare('SELECT count(*) AS count FROM events').get()?.count, 0);
    reader.close();
    store.close();
    open();
  });

  it('refuses a relative path, a link, a file and a directory others can write', () => {
    assert.equal(
      codeOf(() => openStore({ directory: 'store' })),
      'StoreUnsafe',
    );
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    symlinkSync(directory, temporary.in('link'));
    assert.equal(
      codeOf(() => openStore({ directory: temporary.in('link') })),
      'StoreUnsafe',
    );
    writeFileSync(temporary.in('file'), '');
    assert.equal(
      codeOf(() => openStore({ directory: temporary.in('file') })),
      'StoreUnsafe',
    );
    assert.equal(
      codeOf(() => openStore({ directory: temporary.in('file/below') })),
      'StoreFailed',
    );
    for (const mode of [0o777, 0o702]) {
      chmodSync(directory, mode);
      assert.equal(codeOf(open), 'StoreUnsafe', mode.toString(8));
    }
    chmodSync(directory, 0o755);
    open();
  });

  it('refuses each file that is a link, no plain file, or open to others', () => {
    open().close();
    for (const name of ['broker.db', 'broker.lock', 'audit.key']) {
      const path = join(directory, name);
      chmodSync(path, 0o640);
      assert.equal(codeOf(open), 'StoreUnsafe', `${name} readable by the group`);
      chmodSync(path, 0o600);
      renameSync(path, `${path}.real`);
      symlinkSync(`${path}.real`, path);
      assert.equal(codeOf(open), 'StoreUnsafe', `${name} as a link`);
      rmSync(path);
      mkdirSync(path, { mode: 0o700 });
      assert.equal(codeOf(open), 'StoreUnsafe', `${name} as a directory`);
      rmSync(path, { recursive: true });
      renameSync(`${path}.real`, path);
    }
    writeFileSync(join(directory, 'broker.db-wal'), '', { mode: 0o666 });
    chmodSync(join(directory, 'broker.db-wal'), 0o666);
    assert.equal(codeOf(open), 'StoreUnsafe');
  });

  it('refuses a key of another length', () => {
    open().close();
    writeFileSync(join(directory, 'audit.key'), Buffer.alloc(31));
    assert.equal(codeOf(open), 'StoreUnsafe');
  });

  it('[R131] never makes a new key for events that are there', () => {
    open().close();
    rmSync(join(directory, 'audit.key'));
    open().close();
    edit("INSERT INTO events VALUES (1, '{}', x'00')");
    rmSync(join(directory, 'audit.key'));
    assert.equal(codeOf(open), 'StoreCorrupt');
    assert.isFalse(existsSync(join(directory, 'audit.key')));
  });

  it('makes a new key for a store whose first start was cut short', () => {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    writeFileSync(join(directory, 'audit.key.new'), 'half', { mode: 0o600 });
    assert.lengthOf(readFileSync(open().keyPath), 32);
    assert.isFalse(existsSync(join(directory, 'audit.key.new')));
  });

  it('refuses a newer schema, an edited one, and what is no database', () => {
    open().close();
    edit('PRAGMA user_version = 999');
    assert.equal(codeOf(open), 'StoreNewer');
    edit(`PRAGMA user_version = ${MIGRATIONS.length}; DROP TRIGGER events_kept`);
    assert.equal(codeOf(open), 'StoreCorrupt');
    writeFileSync(join(directory, 'broker.db'), 'not a database, whatever its name says'.repeat(100));
    assert.equal(codeOf(open), 'StoreCorrupt');
  });

  it('lets the lock go when opening fails', () => {
    open().close();
    edit('PRAGMA user_version = 999');
    assert.equal(codeOf(open), 'StoreNewer');
    edit(`PRAGMA user_version = ${MIGRATIONS.length}`);
    open();
  });

  it('runs a transaction whole or not at all', () => {
    const store = open();
    const count = (): unknown =>
      store.database.prepare('SELECT count(*) AS count FROM manifests').get()?.count;
    const insert = (): void => store.database.exec("INSERT INTO manifests VALUES ('a', 'b', 1, '1', 0)");
    const refusal = new HistoryError('Rollback', 'older');
    assert.throws(() => {
      store.transaction('full', () => {
        insert();
        throw refusal;
      });
    }, refusal);
    assert.equal(count(), 0);
    assert.equal(
      codeOf(() =>
        store.transaction('normal', () => {
          insert();
          insert();
        }),
      ),
      'StoreFailed',
    );
    assert.equal(count(), 0);
    store.transaction('full', insert);
    assert.equal(count(), 1);
    store.close();
    assert.equal(
      codeOf(() => store.transaction('normal', insert)),
      'StoreFailed',
    );
  });

  it('syncs as much as a transaction asks for', () => {
    const store = open();
    const level = (): unknown => store.database.prepare('PRAGMA synchronous').get()?.synchronous;
    assert.deepEqual(
      (['full', 'normal', 'normal', 'full'] as const).map((durability) =>
        store.transaction(durability, level),
      ),
      [2, 1, 1, 2],
    );
  });

  it('a single statement is whole or not at all, and synced as much as it asks for', () => {
    const store = open();
    const { database } = store;
    const settled = (): unknown => database.prepare('SELECT seq FROM settled').get()?.seq;
    const level = (): unknown => database.prepare('PRAGMA synchronous').get()?.synchronous;
    store.statement('full', () => database.prepare('UPDATE settled SET seq = 7').run());
    assert.deepEqual([settled(), level(), database.isTransaction], [7, 2, false]);
    const refused = () => database.prepare("INSERT INTO settled VALUES (2, 1), (3, 'no')").run();
    assert.equal(
      codeOf(() => store.statement('normal', refused)),
      'StoreFailed',
    );
    assert.deepEqual([settled(), level(), database.isTransaction], [7, 1, false]);
  });

  it('says so when another process holds the database, and goes on afterwards', () => {
    const store = open();
    const other = new DatabaseSync(store.databasePath);
    other.exec('BEGIN IMMEDIATE');
    const write = () => store.database.prepare('UPDATE settled SET seq = 7').run();
    for (const how of ['transaction', 'statement'] as const) {
      assert.equal(
        codeOf(() => store[how]('full', write)),
        'StoreLocked',
      );
    }
    other.exec('ROLLBACK');
    other.close();
    assert.equal(
      store.transaction('full', () => 1),
      1,
    );
  });
});
