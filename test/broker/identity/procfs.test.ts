// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert } from 'chai';
import {
  readCgroup,
  readExe,
  readFlatpakInfo,
  readParents,
  readPrimaryGroup,
  readStat,
} from '../../../broker/identity/procfs.ts';
import { writeProcess } from './fake-proc.ts';

describe('broker/identity/procfs', () => {
  let proc = '';
  beforeEach(() => {
    proc = mkdtempSync(join(tmpdir(), 'portal-test-'));
  });
  afterEach(() => rmSync(proc, { recursive: true }));

  it('[R122] reads this very process', () => {
    const stat = readStat('/proc', process.pid);
    assert.equal(stat?.parent, process.ppid);
    assert.match(stat?.startTime ?? '', /^\d+$/);
    assert.equal(readPrimaryGroup('/proc', process.pid), process.getgid?.());
    assert.equal(readExe('/proc', process.pid), process.execPath);
    assert.match(readCgroup('/proc', process.pid), /^\d+:/);
    assert.isUndefined(readFlatpakInfo('/proc', process.pid));
    assert.equal(readParents('/proc', process.ppid, 16)[0]?.pid, process.ppid);
    assert.lengthOf(readParents('/proc', process.ppid, 1), 1);
  });

  it('sees a process end, also one that nobody has waited for', async () => {
    const child = spawn('sleep', ['1000']);
    const pid = child.pid ?? 0;
    assert.isDefined(readStat('/proc', pid));
    child.kill('SIGKILL');
    await once(child, 'exit');
    assert.isUndefined(readStat('/proc', pid));
    writeProcess(proc, { pid: 5, state: 'Z' });
    assert.isUndefined(readStat(proc, 5));
  });

  it('is not led astray by a name with brackets and spaces', () => {
    writeProcess(proc, { pid: 5, name: 'a) R 1 (b', parent: 3, startTime: '77' });
    assert.deepEqual(readStat(proc, 5), { pid: 5, parent: 3, startTime: '77' });
  });

  it('makes nothing of what has not the form', () => {
    writeProcess(proc, { pid: 5, startTime: 'soon' });
    assert.isUndefined(readStat(proc, 5));
    writeFileSync(join(proc, '5/stat'), '5 (x');
    assert.isUndefined(readStat(proc, 5));
    assert.isUndefined(readPrimaryGroup(proc, 6));
    assert.equal(readCgroup(proc, 5), '');
  });

  it('[R122] knows no group of a process that is between two', () => {
    const between: readonly (readonly [number, number, number, number])[] = [
      [1, 1, 1, 1],
      [1, 2, 1, 1],
      [1, 1, 2, 1],
      [2, 1, 1, 1],
      [1, 1, 1, 2],
    ];
    const read = between.map((groups) => {
      writeProcess(proc, { pid: 5, groups });
      return readPrimaryGroup(proc, 5);
    });
    assert.deepEqual(read, [1, undefined, undefined, undefined, undefined]);
  });

  it('knows no program that was replaced since it started', () => {
    const folder = writeProcess(proc, { pid: 5, exe: '/usr/bin/app (deleted)' });
    assert.isUndefined(readExe(proc, 5));
    rmSync(join(folder, 'exe'));
    assert.isUndefined(readExe(proc, 5));
  });

  it('goes up through the parents, as far as it is asked and without process 1', () => {
    writeProcess(proc, { pid: 5, parent: 4 });
    writeProcess(proc, { pid: 4, parent: 3, startTime: '40' });
    writeProcess(proc, { pid: 3, parent: 1, startTime: '30' });
    assert.deepEqual(readParents(proc, 4, 16), [
      { pid: 4, startTime: '40' },
      { pid: 3, startTime: '30' },
    ]);
    assert.deepEqual(readParents(proc, 4, 1), [{ pid: 4, startTime: '40' }]);
    writeProcess(proc, { pid: 4, parent: 9 });
    assert.lengthOf(readParents(proc, 4, 16), 1);
  });

  describe("a flatpak's description", () => {
    const info = () => join(proc, '5/root/.flatpak-info');
    beforeEach(() => {
      writeProcess(proc, { pid: 5 });
    });

    it('is read, and no more of it than such a file ever holds', () => {
      writeFileSync(info(), '[Application]\nname=org.a.B\n');
      assert.equal(readFlatpakInfo(proc, 5), '[Application]\nname=org.a.B\n');
      writeFileSync(info(), 'x'.repeat(10 ** 6));
      assert.equal(readFlatpakInfo(proc, 5)?.length, 16384);
    });

    it('is not followed through a link', () => {
      symlinkSync('/etc/hostname', info());
      assert.equal(readFlatpakInfo(proc, 5), '');
    });

    it('is not waited for in a pipe or looked for in a folder', async () => {
      await once(spawn('mkfifo', [info()]), 'exit');
      assert.equal(readFlatpakInfo(proc, 5), '');
      rmSync(info());
      mkdirSync(info());
      assert.equal(readFlatpakInfo(proc, 5), '');
    });
  });
});
