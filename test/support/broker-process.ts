// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { forChildren } from './children.ts';

const PROGRAM = join(import.meta.dirname, '..', '..', 'broker', 'main.ts');

export interface BrokerStart {
  readonly address: string;
  readonly config: string;
  readonly store: string;
  /** What is to be run in place of Node, with Node and its arguments appended. */
  readonly through?: readonly string[];
  /** A module to load before the broker's own code. */
  readonly preload?: string | undefined;
  readonly environment?: Readonly<Record<string, string>>;
}

export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The service as it is shipped, in a process of its own. */
export class BrokerProcess {
  readonly pid: number;
  readonly ended: Promise<Ending>;
  readonly #child: ChildProcess;
  readonly #ready: Promise<boolean>;
  #output = '';
  #log = '';
  #wasEnded = false;

  constructor({ address, config, store, through = [], preload, environment = {} }: BrokerStart) {
    const [program = process.execPath, ...args] = [
      ...through,
      process.execPath,
      ...(preload === undefined ? [] : ['--import', preload]),
      PROGRAM,
      '--config',
      config,
      '--store',
      store,
    ];
    const child = spawn(program, args, {
      env: {
        LANG: 'de_DE.UTF-8',
        ...forChildren(),
        DBUS_SESSION_BUS_ADDRESS: address,
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const { stdout, stderr, pid } = child;
    if (stdout === null || stderr === null || pid === undefined)
      throw new Error('the broker could not be started');
    this.#child = child;
    this.pid = pid;
    stdout.on('data', (chunk: Buffer) => {
      this.#output += chunk;
    });
    stderr.on('data', (chunk: Buffer) => {
      this.#log += chunk;
    });
    this.ended = new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal })));
    const line = new Promise<boolean>((resolve) => {
      createInterface({ input: stdout }).once('line', () => resolve(true));
    });
    this.#ready = Promise.race([line, this.ended.then(() => false)]);
  }

  /** Throws with what the broker said where it ended instead. */
  async ready(): Promise<void> {
    if (!(await this.#ready)) throw new Error(`the broker did not start: ${this.#log}`);
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Whether its end was asked for, or is what a test waited for. */
  get wasEnded(): boolean {
    return this.#wasEnded;
  }

  /** All of standard output so far. */
  get output(): string {
    return this.#output;
  }

  /** All of standard error so far. */
  get log(): string {
    return this.#log;
  }

  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<Ending> {
    this.#wasEnded = true;
    this.#child.kill(signal);
    return await this.ended;
  }

  /** Waits for it to end by itself. */
  async endsItself(): Promise<Ending> {
    this.#wasEnded = true;
    return await this.ended;
  }
}
