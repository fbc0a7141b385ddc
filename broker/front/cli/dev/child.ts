// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface ChildOptions {
  readonly cwd?: string;
  readonly env: NodeJS.ProcessEnv;
  /** Each line it prints, on either output. */
  readonly onLine: (line: string, output: 'stdout' | 'stderr') => void;
}

/** How long a child may take to end by itself, in milliseconds. */
const GRACE_MS = 3_000;

/**
 * A program that ends with this process, however that ends: at a `stop()`, and by the kernel's word (`setpriv`) should this
 * process be killed. It has a process group of its own, so that Ctrl-C at the terminal leaves the order of ending to us.
 */
export class Child {
  readonly #process: ChildProcess;
  /** Resolves with how it ended, in words. */
  readonly ended: Promise<string>;

  constructor(command: readonly string[], { cwd, env, onLine }: ChildOptions) {
    this.#process = spawn('setpriv', ['--pdeathsig', 'TERM', '--', ...command], {
      ...(cwd !== undefined && { cwd }),
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const { stdout, stderr } = this.#process;
    if (stdout !== null) createInterface({ input: stdout }).on('line', (line) => onLine(line, 'stdout'));
    if (stderr !== null) createInterface({ input: stderr }).on('line', (line) => onLine(line, 'stderr'));
    this.ended = endOf(this.#process);
  }

  /** Asks it and its children to end, and makes them when they do not. Does nothing where it ended already. */
  async stop(): Promise<void> {
    if (!this.#isRunning) return;
    signalGroup(this.#process.pid, 'SIGTERM');
    const force = setTimeout(() => signalGroup(this.#process.pid, 'SIGKILL'), GRACE_MS);
    await this.ended;
    clearTimeout(force);
  }

  /** Its number belongs to nobody else as long as it has not been waited for. */
  get #isRunning(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null;
  }
}

function signalGroup(leader: number | undefined, signal: NodeJS.Signals): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, signal);
  } catch {
    // Nobody is left of it.
  }
}

async function endOf(child: ChildProcess): Promise<string> {
  // What it leaves behind ends with it, and then nothing holds its output open any more.
  child.once('exit', () => signalGroup(child.pid, 'SIGKILL'));
  try {
    await once(child, 'close');
  } catch (error) {
    return error instanceof Error ? error.message : 'it could not be started';
  }
  const { exitCode, signalCode } = child;
  return signalCode === null ? `with code ${exitCode}` : `by signal ${signalCode}`;
}
