// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { assert } from 'chai';
import { type Temporary, temporaryDirectory } from '../store/temporary.ts';

describe('broker/audit on a full and on a read-only disk', () => {
  let temporary: Temporary;

  beforeEach(() => {
    temporary = temporaryDirectory();
  });
  afterEach(() => temporary.remove());

  it('[R72] rejects the whole batch, keeps the chain, and goes on once there is space', () => {
    const namespace = process.geteuid?.() === 0 ? ['--mount'] : ['--mount', '--map-root-user'];
    const command = [
      ...namespace,
      process.execPath,
      join(import.meta.dirname, 'full-disk.ts'),
      temporary.path,
    ];
    const ran = spawnSync('unshare', command, { encoding: 'utf8' });
    assert.deepEqual([ran.status, ran.stderr], [0, '']);
    const seen = JSON.parse(ran.stdout);
    assert.deepEqual(seen.codes, Array(10).fill('StoreFull'));
    assert.deepEqual(seen.after, seen.before);
    assert.deepEqual([seen.whileFull.ok, seen.whileFull.count], [true, seen.before.count]);
    assert.deepEqual(seen.again, Array(10).fill('StoreFull'));
    assert.deepEqual(seen.withSpace, Array(10).fill('resolved'));
    assert.deepEqual([seen.repaired.ok, seen.repaired.count], [true, seen.before.count + 10]);
    assert.equal(seen.recovered, seen.appended, 'what was rejected is not taken for begun');
    assert.deepEqual(seen.readOnly, ['StoreReadOnly', 'StoreReadOnly', 'StoreReadOnly']);
  });
});
