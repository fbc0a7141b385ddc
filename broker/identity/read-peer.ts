// SPDX-License-Identifier: Apache-2.0
import { Buffer } from 'node:buffer';
import { asDictionary } from '../../dbus/values.ts';
import { unitsOf } from './cgroup.ts';
import { IdentityError } from './error.ts';
import { isInterpreter } from './interpreters.ts';
import { keyFileValue } from './key-file.ts';
import type { Peer } from './peer.ts';
import { readCgroup, readExe, readFlatpakInfo, readParents, readPrimaryGroup, readStat } from './procfs.ts';

const MOST_PARENTS = 16;

/** What the bus says of a connection: what the kernel told it when the connection was made. */
export interface Credentials {
  readonly uid: number;
  readonly pid: number;
  readonly groups: readonly number[];
  readonly label: string | undefined;
}

/**
 * Reads the answer of GetConnectionCredentials. D-Bus specification: unknown keys are to be ignored.
 * @throws IdentityError `unreadable` where uid or pid is missing
 */
export function readCredentials(reply: readonly unknown[]): Credentials {
  const values = asDictionary(reply[0]);
  const uid = values.get('UnixUserID');
  const pid = values.get('ProcessID');
  const groups = values.get('UnixGroupIDs');
  const label = values.get('LinuxSecurityLabel');
  if (typeof uid !== 'number' || typeof pid !== 'number' || pid <= 0) {
    throw new IdentityError('unreadable', 'the message bus does not say which process is calling');
  }
  return {
    uid,
    pid,
    groups: Array.isArray(groups) ? groups.filter((group) => typeof group === 'number') : [],
    label: Buffer.isBuffer(label) ? label.toString('utf8').replace(/\0$/, '') : undefined,
  };
}

/**
 * Puts together who is behind a connection.
 *
 * @param latestStart ticks since boot by which the process must have been running, since its connection existed then:
 *   a process that started later only has the number of the one that connected, whose child may still hold the socket
 * @throws IdentityError `vanished` or `changed`
 */
export function readPeer(
  name: string,
  { uid, pid, groups, label }: Credentials,
  proc: string,
  latestStart: number,
): Peer {
  const before = readStat(proc, pid);
  if (before === undefined) throw new IdentityError('vanished', 'the calling process is gone');
  if (Number(before.startTime) > latestStart) throw changed();
  const gid = readPrimaryGroup(proc, pid);
  const exe = readExe(proc, pid);
  const units = unitsOf(readCgroup(proc, pid), uid);
  const peer: Peer = {
    name,
    uid,
    pid,
    startTime: before.startTime,
    // The kernel's word about now, and about the moment of the connection.
    gid: gid !== undefined && groups.includes(gid) ? gid : undefined,
    exe,
    exeIsInterpreter: exe !== undefined && isInterpreter(exe),
    securityLabel: label,
    ...units,
    sandboxId: sandboxOf(readFlatpakInfo(proc, pid), label),
    parents: readParents(proc, before.parent, MOST_PARENTS),
  };
  // Everything above was read by number: it is about one process only if that one is still there.
  if (readStat(proc, pid)?.startTime !== before.startTime) throw changed();
  return peer;
}

/**
 * What a sandbox says it holds: the flatpak's id, or `snap.NAME` from a snap's AppArmor label.
 * @throws IdentityError `unreadable` for a sandbox that hides its name
 */
function sandboxOf(flatpakInfo: string | undefined, label: string | undefined): string | undefined {
  if (flatpakInfo !== undefined) {
    const id =
      keyFileValue(flatpakInfo, 'Application', 'name') ?? keyFileValue(flatpakInfo, 'Runtime', 'runtime');
    if (id !== undefined && /^[A-Za-z0-9._-]{1,255}$/.test(id)) return id;
    throw new IdentityError('unreadable', 'the calling process is in a sandbox without a readable name');
  }
  const snap = /^snap\.([a-z0-9-]+)[._]/.exec(label ?? '');
  return snap === null ? undefined : `snap.${snap[1]}`;
}

function changed(): IdentityError {
  return new IdentityError('changed', 'the calling process is not the one that connected');
}
