// SPDX-License-Identifier: Apache-2.0
import type { Readable, Writable } from 'node:stream';
import { visible } from '../escape.ts';

/** What a person did at the prompt. */
export type Typed =
  | { readonly kind: 'line'; readonly text: string }
  /** Ctrl-C. */
  | { readonly kind: 'interrupt' }
  /** Ctrl-D, or the terminal is gone. */
  | { readonly kind: 'end' };

/** The input side of a terminal. */
export type TerminalInput = Readable & { setRawMode(raw: boolean): unknown };

const RETURN = '\r';
const LINE_FEED = '\n';
const CTRL_C = '\x03';
const CTRL_D = '\x04';
const CTRL_U = '\x15';
const ESCAPE = '\x1b';
const ERASE: ReadonlySet<string> = new Set(['\x7f', '\b']);
const LONGEST_LINE = 1000;

/**
 * Reads lines from a terminal in raw mode. Not in the terminal's own line mode, since there a line that was begun before
 * a prompt could be finished after it: here a key that is pressed while nobody reads is gone.
 */
export class Keyboard {
  readonly #input: TerminalInput;
  readonly #echo: Writable;
  readonly #onIdle: (typed: Typed) => void;
  #line = '';
  #reader: ((typed: Typed) => void) | undefined;
  #ended = false;

  /** `onIdle` hears of Ctrl-C and of the end while no line is read. */
  constructor(input: TerminalInput, echo: Writable, onIdle: (typed: Typed) => void) {
    this.#input = input;
    this.#echo = echo;
    this.#onIdle = onIdle;
    input.setRawMode(true);
    input.setEncoding('utf8');
    input.on('data', this.#receive);
    input.on('end', this.#end);
    input.on('error', this.#end);
  }

  /** The next line typed from now on. Rejects with the signal's reason; there is one reader at a time. */
  read(signal: AbortSignal): Promise<Typed> {
    if (this.#ended) return Promise.resolve({ kind: 'end' });
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<Typed>();
    const stop = (): void => {
      this.#finish();
      reject(signal.reason);
    };
    signal.addEventListener('abort', stop, { once: true });
    this.#reader = (typed) => {
      signal.removeEventListener('abort', stop);
      resolve(typed);
    };
    return promise;
  }

  /** Gives the terminal to another program for as long as `work` takes. */
  async lend<T>(work: () => Promise<T>): Promise<T> {
    this.#input.off('data', this.#receive);
    this.#input.setRawMode(false);
    this.#input.pause();
    try {
      return await work();
    } finally {
      this.#input.setRawMode(true);
      this.#input.on('data', this.#receive);
      this.#input.resume();
    }
  }

  /** Gives the terminal back. */
  close(): void {
    this.#input.off('data', this.#receive);
    this.#input.off('end', this.#end);
    this.#input.setRawMode(false);
    this.#input.pause();
  }

  readonly #receive = (chunk: string): void => {
    // Arrow and function keys: nothing here to move about in.
    if (chunk.startsWith(ESCAPE)) return;
    for (const key of chunk) this.#press(key);
  };

  readonly #end = (): void => {
    this.#ended = true;
    this.#tell({ kind: 'end' });
  };

  /** Once a key ends the line nobody reads, so what was typed ahead in the same piece is gone. */
  #press(key: string): void {
    if (key === CTRL_C || key === CTRL_D) this.#tell({ kind: key === CTRL_C ? 'interrupt' : 'end' });
    else if (this.#reader === undefined) return;
    else if (key === RETURN || key === LINE_FEED) this.#tell({ kind: 'line', text: this.#line });
    else if (ERASE.has(key)) this.#erase(1);
    else if (key === CTRL_U) this.#erase(this.#line.length);
    else if (this.#line.length < LONGEST_LINE) {
      this.#line += key;
      this.#echo.write(visible(key));
    }
  }

  #erase(count: number): void {
    for (const key of [...this.#line].slice(-count).reverse()) {
      this.#echo.write('\b \b'.repeat(visible(key).length));
      this.#line = this.#line.slice(0, -key.length);
    }
  }

  #tell(typed: Typed): void {
    const reader = this.#finish();
    (reader ?? this.#onIdle)(typed);
  }

  /** Ends the line on the screen and forgets who read it. */
  #finish(): ((typed: Typed) => void) | undefined {
    const reader = this.#reader;
    this.#reader = undefined;
    this.#line = '';
    if (reader !== undefined) this.#echo.write('\n');
    return reader;
  }
}
