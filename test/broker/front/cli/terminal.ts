// SPDX-License-Identifier: Apache-2.0
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { PORTALCTL } from './run.ts';

/** The command in a real pseudo-terminal, of 100 columns unless told otherwise, driven by what a person would type. */
export class Terminal {
  readonly #script: ChildProcessWithoutNullStreams;
  readonly ended: Promise<number | null>;
  /** Everything that reached the terminal, as it came. */
  output = '';
  #seen = 0;
  #more = Promise.withResolvers<void>();

  constructor(args: readonly string[], env: NodeJS.ProcessEnv, columns = 100) {
    const words = [PORTALCTL, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
    // script(1) makes the terminal; `exec` leaves no shell between it and the command.
    this.#script = spawn('script', ['-qefc', `stty cols ${columns} rows 50; exec ${words}`, '/dev/null'], {
      env: { ...env, SHELL: '/bin/sh', TERM: 'xterm' },
    });
    this.#script.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      this.output += chunk;
      this.#more.resolve();
      this.#more = Promise.withResolvers();
    });
    this.#script.stdin.on('error', () => undefined); // it may end while we type
    this.ended = once(this.#script, 'close').then(([code]: (number | null)[]) => {
      this.#more.reject(new Error('the terminal closed'));
      this.#more.promise.catch(() => undefined);
      return code ?? null;
    });
  }

  /** Waits until `words` appear after what was waited for before; returns what came up to and with them. */
  async until(words: string): Promise<string> {
    for (;;) {
      const at = this.output.indexOf(words, this.#seen);
      if (at >= 0) {
        const found = this.output.slice(this.#seen, at + words.length);
        this.#seen = at + words.length;
        return found;
      }
      try {
        await this.#more.promise;
      } catch {
        throw new Error(`\`${words}\` never appeared in: ${JSON.stringify(this.output.slice(this.#seen))}`);
      }
    }
  }

  type(text: string): void {
    this.#script.stdin.write(text);
  }

  /** Ends the input, as closing the terminal's window does. */
  hangUp(): void {
    this.#script.stdin.end();
  }

  async close(): Promise<void> {
    this.#script.kill('SIGTERM');
    await this.ended;
  }
}
