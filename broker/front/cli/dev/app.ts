// SPDX-License-Identifier: Apache-2.0
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, dirname, resolve } from 'node:path';
import { CliError } from '../error.ts';
import { Child } from './child.ts';

/** The app that is being developed: started, and started again whenever asked. */
export class App {
  readonly #command: readonly string[];
  readonly #env: NodeJS.ProcessEnv;
  readonly #say: (line: string) => void;
  #running: Child | undefined;
  #change: Promise<void> = Promise.resolve();
  #over = false;

  /** `say` is told what the app prints and how it ends. */
  constructor(command: readonly string[], env: NodeJS.ProcessEnv, say: (line: string) => void) {
    this.#command = command;
    // An app whose first line asks for `node` gets the one that runs this.
    this.#env = { ...env, PATH: [dirname(process.execPath), env.PATH ?? ''].join(delimiter) };
    this.#say = say;
  }

  /** Ends it, if it runs, and starts it. */
  restart(): Promise<void> {
    return this.#then(async () => {
      await this.#running?.stop();
      if (!this.#over) this.#start();
    });
  }

  stop(): Promise<void> {
    this.#over = true;
    return this.#then(async () => {
      await this.#running?.stop();
    });
  }

  /** One change at a time, in order. */
  #then(step: () => Promise<void>): Promise<void> {
    this.#change = this.#change.then(step);
    return this.#change;
  }

  #start(): void {
    const child = new Child(this.#command, { env: this.#env, onLine: (line) => this.#say(line) });
    this.#running = child;
    child.ended.then((how) => {
      if (this.#running === child && !this.#over)
        this.#say(`(ended ${how}; it starts again when a file changes)`);
    });
  }
}

/** Throws `BadOperand` when the command plainly cannot be started. */
export function checkCommand([program = '']: readonly string[]): void {
  if (!program.includes('/')) return;
  try {
    accessSync(program, constants.X_OK);
  } catch (cause) {
    const exists = statSync(program, { throwIfNoEntry: false }) !== undefined;
    throw new CliError(
      'BadOperand',
      `\`${program}\` ${exists ? 'may not be executed' : 'does not exist'}`,
      exists ? `\`chmod +x ${program}\`, or name the interpreter before it` : 'check the path',
      { cause },
    );
  }
}

/** Where the app's own files most likely are: beside the first word of its command that is a file. */
export function folderOf(command: readonly string[]): string {
  const file = command.find((word) => statSync(word, { throwIfNoEntry: false })?.isFile());
  return file === undefined ? process.cwd() : dirname(resolve(file));
}
