// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fromLine, toLine } from './bus-json.ts';
import { forChildren } from './children.ts';
import { Tellings } from './tellings.ts';

const PROGRAM = join(import.meta.dirname, 'peers', 'peer.ts');
/** How long a peer whose input ended may take to leave before it counts as left behind. */
const LEAVE_MS = 10_000;

/** A command that failed in the peer: `code` is the wire name of a D-Bus error, or an error's own code. */
export class PeerError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'PeerError';
    this.code = code;
  }
}

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** A peer of the broker in a process of its own. */
export class PeerProcess {
  readonly pid: number;
  readonly tellings = new Tellings();
  /** Resolves when the process is gone. */
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;
  readonly #pending = new Map<number, Pending>();
  #complaints = '';
  #last = 0;

  static async start(address: string, program = PROGRAM): Promise<PeerProcess> {
    const peer = new PeerProcess(
      spawn(process.execPath, [program], {
        env: {
          LANG: 'en_GB.UTF-8',
          ...forChildren(),
          DBUS_SESSION_BUS_ADDRESS: address,
        },
        stdio: ['pipe', 'pipe', 'pipe'],
      }),
    );
    await peer.tellings.next('started');
    return peer;
  }

  private constructor(child: ChildProcess) {
    const { stdin, stdout, stderr, pid } = child;
    if (stdin === null || stdout === null || stderr === null || pid === undefined)
      throw new Error('the peer could not be started');
    this.#child = child;
    this.pid = pid;
    stdin.on('error', () => undefined); // the peer may be gone already; `ended` tells
    stderr.on('data', (chunk: Buffer) => {
      this.#complaints += chunk;
    });
    createInterface({ input: stdout }).on('line', (line) => this.#receive(fromLine(line)));
    this.ended = new Promise((resolve) => {
      child.once('close', () => {
        this.#lost();
        resolve();
      });
    });
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Has the peer carry out a command; rejects with a PeerError. The caller says what comes back: this is the parse boundary. */
  async ask<T>(name: string, args: Readonly<Record<string, unknown>> = {}): Promise<T> {
    this.#last += 1;
    const id = this.#last;
    if (!this.running) throw this.#gone();
    return (await new Promise<unknown>((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#child.stdin?.write(`${toLine({ id, do: name, args })}\n`);
    })) as T;
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  pause(): void {
    this.#child.kill('SIGSTOP');
  }

  resume(): void {
    this.#child.kill('SIGCONT');
  }

  /** Ends the peer; false when it had to be killed. */
  async stop(): Promise<boolean> {
    this.#child.stdin?.end();
    const patience = AbortSignal.timeout(LEAVE_MS);
    const forced = new Promise<boolean>((resolve) => {
      patience.addEventListener('abort', () => resolve(false), { once: true });
    });
    const left = await Promise.race([this.ended.then(() => true), forced]);
    if (!left) this.kill();
    await this.ended;
    return left;
  }

  #receive(message: unknown): void {
    const { id, value, error, tell } = message as {
      id?: number;
      value?: unknown;
      error?: { code: string; message: string };
      tell?: string;
    };
    if (tell !== undefined) this.tellings.put(tell, value);
    const pending = id === undefined ? undefined : this.#pending.get(id);
    if (id === undefined || pending === undefined) return;
    this.#pending.delete(id);
    if (error === undefined) pending.resolve(value);
    else pending.reject(new PeerError(error.code, error.message));
  }

  #lost(): void {
    const reason = this.#gone();
    for (const { reject } of this.#pending.values()) reject(reason);
    this.#pending.clear();
    this.tellings.end(reason);
  }

  #gone(): Error {
    return new PeerError('gone', `the peer's process has ended ${this.#complaints.trim()}`);
  }
}
