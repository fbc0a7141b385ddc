// SPDX-License-Identifier: Apache-2.0

/** A process as the kernel tells processes apart: a pid alone is used again, with its start time it is not. */
export interface ProcessId {
  readonly pid: number;
  /** Field 22 of /proc/PID/stat: clock ticks since boot, as text. */
  readonly startTime: string;
}

/** Who is behind a connection, in the words of the message bus and the kernel. */
export interface Peer extends ProcessId {
  /** The unique bus name. */
  readonly name: string;
  readonly uid: number;
  /** The primary group; undefined where its real, effective and saved ids differ or the connection was made without it. */
  readonly gid: number | undefined;
  /** The path of the running program, links resolved. */
  readonly exe: string | undefined;
  /** The program does what its arguments say, so its path names nobody. */
  readonly exeIsInterpreter: boolean;
  readonly securityLabel: string | undefined;
  /** The system service it runs in; nothing below a user's own service manager counts. */
  readonly systemUnit: string | undefined;
  /** The application id in the name of the user unit it runs in. */
  readonly appUnit: string | undefined;
  /** The application id its sandbox states: the flatpak's id, or `snap.NAME`. */
  readonly sandboxId: string | undefined;
  /** Parent, grandparent and so on, at most 16. */
  readonly parents: readonly ProcessId[];
}
