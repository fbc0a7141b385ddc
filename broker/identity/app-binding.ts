// SPDX-License-Identifier: Apache-2.0
import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { keyFileValue, programOf } from './key-file.ts';
import type { Peer, ProcessId } from './peer.ts';

/** By what a registering process is known to be the application it says it is; `unbound` by nothing. */
export type AppBindingKind = 'sandbox' | 'unit' | 'desktop-exe' | 'launcher' | 'unbound';

export interface AppBinding {
  readonly binding: AppBindingKind;
  /** Set where the evidence names another application: which kind of evidence it was. Registration is to be refused. */
  readonly contrary?: 'sandbox' | 'unit';
}

export interface AppBindingOptions {
  /** Folders with root's `APP_ID.desktop` files, e.g. `/usr/share/applications`. */
  readonly applicationFolders: readonly string[];
  /** Folders with root's `APP_ID.service` files for activation, e.g. `/usr/share/dbus-1/services`. */
  readonly serviceFolders: readonly string[];
  /** Where a program named without a folder is looked for, e.g. `/usr/bin`. */
  readonly programFolders: readonly string[];
  /** Developer launchers: what one of them started, it vouches for. */
  readonly launchers: readonly ProcessId[];
  /** The uid whose files are believed: 0, in tests the test's own. */
  readonly owner: number;
}

const LARGEST_ENTRY = 65536;

/**
 * What speaks for `peer` being the application `appId`, which is a well-formed id. Positive evidence lifts a provider
 * above `unbound`; evidence for another application refuses it. A launcher outranks the unit, because what a developer
 * starts runs in the unit of the terminal.
 */
export function bindApp(peer: Peer, appId: string, options: AppBindingOptions): AppBinding {
  const { sandboxId, appUnit } = peer;
  // A snap states the name of its package, which says neither yes nor no about a desktop id.
  const sandboxed = sandboxId !== undefined && !sandboxId.startsWith('snap.');
  if (sandboxed && sandboxId !== appId) return { binding: 'unbound', contrary: 'sandbox' };
  if (sandboxed) return { binding: 'sandbox' };
  const launched = peer.parents.some((parent) =>
    options.launchers.some((launcher) => isSame(parent, launcher)),
  );
  if (launched) return { binding: 'launcher' };
  if (appUnit !== undefined) {
    return appUnit === appId ? { binding: 'unit' } : { binding: 'unbound', contrary: 'unit' };
  }
  return { binding: isInstalledProgram(peer, appId, options) ? 'desktop-exe' : 'unbound' };
}

function isSame(a: ProcessId, b: ProcessId): boolean {
  return a.pid === b.pid && a.startTime === b.startTime;
}

/** Whether root's desktop entry or activation file for the application names the program that the peer runs. */
function isInstalledProgram(peer: Peer, appId: string, options: AppBindingOptions): boolean {
  if (peer.exe === undefined || peer.exeIsInterpreter) return false;
  const entries: readonly (string | undefined)[] = [
    ...options.applicationFolders.map((folder) =>
      execOf(join(folder, `${appId}.desktop`), 'Desktop Entry', options.owner),
    ),
    ...options.serviceFolders.map((folder) =>
      execOf(join(folder, `${appId}.service`), 'D-BUS Service', options.owner),
    ),
  ];
  return entries.some((exec) => exec !== undefined && resolveProgram(exec, options) === peer.exe);
}

function execOf(path: string, group: string, owner: number): string | undefined {
  const text = readOwned(path, owner);
  return text === undefined ? undefined : keyFileValue(text, group, 'Exec');
}

/** The text of a small regular file that only its owner can write. A link is not followed. */
function readOwned(path: string, owner: number): string | undefined {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  let file: number;
  try {
    file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    const stat = fstatSync(file);
    const safe =
      stat.isFile() && stat.uid === owner && (stat.mode & 0o022) === 0 && stat.size <= LARGEST_ENTRY;
    return safe ? readFileSync(file, 'utf8') : undefined;
  } catch {
    return undefined;
  } finally {
    closeSync(file);
  }
}

/** The real path of the program that a command line starts; undefined where others could replace it. */
function resolveProgram(exec: string, { programFolders, owner }: AppBindingOptions): string | undefined {
  const program = programOf(exec);
  if (program === undefined) return undefined;
  const places = isAbsolute(program)
    ? [program]
    : program.includes('/')
      ? []
      : programFolders.map((folder) => join(folder, program));
  for (const place of places) {
    try {
      const path = realpathSync(place);
      const { uid, mode } = statSync(path);
      return uid === owner && (mode & 0o022) === 0 ? path : undefined;
    } catch {
      // Not there: the next folder may have it.
    }
  }
  return undefined;
}
