// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert } from 'chai';

const MARKER = 'hunter2-9f3c';

describe('what the record and the log hold of an intent', () => {
  let directory: string;
  before(() => {
    directory = mkdtempSync(join(tmpdir(), 'portal-marker-'));
  });
  after(() => rmSync(directory, { recursive: true }));

  it('[R117] [R120] nothing of its parameters, its words, its answers or its errors, by any way', () => {
    const store = join(directory, 'store');
    const script = join(import.meta.dirname, 'marker-run.ts');
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, store, MARKER], {
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
    const { attempts, ended } = JSON.parse(stdout);
    assert.isAtLeast(attempts, 20);
    assert.equal(ended, attempts, 'each attempt has exactly one ending');

    const lines = stderr.trimEnd().split('\n');
    assert.isAtLeast(lines.length, 4, 'faults were logged');
    for (const line of lines) assert.equal(JSON.parse(line).msg, 'fault', line);
    assert.include(stderr, 'ENOENT');
    assert.include(stderr, 'prepare.ts', 'a fault says where it happened');
    assert.notInclude(stderr, MARKER);

    const files = readdirSync(store);
    assert.include(files, 'broker.db');
    for (const name of files) assert.notInclude(readFileSync(join(store, name), 'latin1'), MARKER, name);
  });
});
