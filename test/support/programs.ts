// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Every process of a desktop has it in its environment, whoever started it. */
export const MARK = 'PORTAL_TEST_DESKTOP';
/** How long something that comes about by itself is waited for: a machine under load is slow. */
export const PATIENCE_MS = 25_000;
const POLL_MS = 10;

/** A program on the desktop. */
export interface Program {
  readonly pid: number;
  readonly child: ChildProcess;
}

/** Waits for something that comes about by itself; throws where it does not. */
export async function until<T>(what: string, look: () => T | undefined | Promise<T | undefined>): Promise<T> {
  const ends = performance.now() + PATIENCE_MS;
  while (performance.now() < ends) {
    const found = await look();
    if (found !== undefined) return found;
    await delay(POLL_MS);
  }
  throw new Error(`${what} did not come about`);
}

/** Descriptor 3 of the program is a pipe to here. It is killed should this process end in whatever way. */
export function run(folder: string, environment: NodeJS.ProcessEnv, command: readonly string[]): Program {
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', ...command], {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  child.on('error', () => undefined); // then there is no process id
  if (child.pid === undefined) throw new Error(`\`${command[0]}\` cannot be started`);
  return { pid: child.pid, child };
}

/** Ends programs by their process ids: asked first, then made to. */
export async function end(programs: readonly Program[]): Promise<void> {
  await Promise.all(
    programs.map(async ({ child }) => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGCONT');
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 1000);
      await gone;
      clearTimeout(timer);
    }),
  );
}

/** The processes that belong to the desktop in this folder, whoever started them. */
export function processesOf(folder: string): readonly number[] {
  const mark = `${MARK}=${folder}\0`;
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .filter((entry) => {
      try {
        return readFileSync(join('/proc', entry, 'environ'), 'utf8').includes(mark);
      } catch {
        return false; // gone, or another user's
      }
    })
    .map(Number);
}

export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone meanwhile.
  }
}
