// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface FakeProcess {
  readonly pid: number;
  readonly parent?: number;
  readonly state?: string;
  readonly startTime?: string;
  readonly name?: string;
  readonly groups?: readonly [number, number, number, number];
  readonly exe?: string;
  readonly cgroup?: string;
}

/** Writes what /proc would show of a process; for what a test cannot bring about with a real one. Returns its folder. */
export function writeProcess(proc: string, fake: FakeProcess): string {
  const { pid, parent = 1, state = 'S', startTime = '100', name = 'app', groups = [0, 0, 0, 0] } = fake;
  const folder = join(proc, String(pid));
  mkdirSync(join(folder, 'root'), { recursive: true });
  const between = Array.from({ length: 17 }, () => '0').join(' ');
  writeFileSync(join(folder, 'stat'), `${pid} (${name}) ${state} ${parent} ${between} ${startTime} 0 0\n`);
  writeFileSync(join(folder, 'status'), `Name:\t${name}\nUid:\t0\t0\t0\t0\nGid:\t${groups.join('\t')}\n`);
  if (fake.cgroup !== undefined) writeFileSync(join(folder, 'cgroup'), fake.cgroup);
  if (fake.exe !== undefined) symlinkSync(fake.exe, join(folder, 'exe'));
  return folder;
}
