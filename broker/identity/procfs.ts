// SPDX-License-Identifier: Apache-2.0
import { closeSync, constants, fstatSync, openSync, readFileSync, readlinkSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessId } from './peer.ts';

// Reading a file below /proc neither blocks nor waits for anything, and takes less time than a round through the
// thread pool: so this is synchronous.

const LARGEST_INFO = 16384;

export interface Stat extends ProcessId {
  readonly parent: number;
}

/** Undefined where there is no such process, or only a dead one that nobody has waited for. */
export function readStat(proc: string, pid: number): Stat | undefined {
  const text = readText(join(proc, String(pid), 'stat'));
  // proc_pid_stat(5): the second field is the program's name in brackets and may itself hold brackets and spaces.
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ') ?? [];
  const [state, parent] = fields;
  const startTime = fields[22 - 3];
  if (state === undefined || parent === undefined || startTime === undefined || !/^\d+$/.test(startTime))
    return undefined;
  if (state === 'Z' || state === 'X' || state === 'x') return undefined;
  return { pid, parent: Number(parent), startTime };
}

/** The parents of a process, nearest first, up to and without process 1. */
export function readParents(proc: string, parent: number, most: number): readonly ProcessId[] {
  const parents: ProcessId[] = [];
  let next = parent;
  while (next > 1 && parents.length < most) {
    const stat = readStat(proc, next);
    if (stat === undefined) break;
    parents.push({ pid: stat.pid, startTime: stat.startTime });
    next = stat.parent;
  }
  return parents;
}

/** The group, where real, effective, saved and file system id are one: only then is nothing half-way between two. */
export function readPrimaryGroup(proc: string, pid: number): number | undefined {
  const line = /^Gid:\t(\d+)\t(\d+)\t(\d+)\t(\d+)$/m.exec(readText(join(proc, String(pid), 'status')) ?? '');
  const ids = new Set(line?.slice(1));
  const [only] = ids;
  return ids.size === 1 ? Number(only) : undefined;
}

/** The program's path; undefined where it may not be read, or was deleted or replaced since it started. */
export function readExe(proc: string, pid: number): string | undefined {
  try {
    const path = readlinkSync(join(proc, String(pid), 'exe'));
    return path.startsWith('/') && !path.endsWith(' (deleted)') ? path : undefined;
  } catch {
    return undefined;
  }
}

export function readCgroup(proc: string, pid: number): string {
  return readText(join(proc, String(pid), 'cgroup')) ?? '';
}

/**
 * The flatpak's own description of itself in the root folder of a process. The process chose what lies there: a link is
 * not followed, a pipe not waited for, and no more is read than such a file ever holds.
 */
export function readFlatpakInfo(proc: string, pid: number): string | undefined {
  let file: number;
  try {
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
    file = openSync(join(proc, String(pid), 'root/.flatpak-info'), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    // No such file, or a process whose root we may not look at: no sandbox that we can name.
    return error instanceof Error && 'code' in error && error.code === 'ELOOP' ? '' : undefined;
  }
  try {
    if (!fstatSync(file).isFile()) return '';
    const bytes = Buffer.alloc(LARGEST_INFO);
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, LARGEST_INFO, 0));
  } finally {
    closeSync(file);
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
