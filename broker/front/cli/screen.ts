// SPDX-License-Identifier: Apache-2.0
import type { Writable } from 'node:stream';
import type { WriteStream } from 'node:tty';
import { styleText } from 'node:util';
import { visible, visibleJson } from './escape.ts';

export type Style = 'bold' | 'dim' | 'green' | 'red' | 'yellow';

/** A piece of a line; colour only ever repeats what the words say. */
export type Piece = string | { readonly text: string; readonly style: Style };
export type Line = string | readonly Piece[];

/** Milliseconds before a wait is announced, and between two further signs of life. */
export interface Patience {
  readonly first: number;
  readonly between: number;
}

const USUAL_COLUMNS = 80;

const PATIENCE: Patience = { first: 1_000, between: 10_000 };

/**
 * Where a command writes. Results go to standard output, as lines or (`--json`) as one JSON document; everything else is
 * for a person and goes to standard error. Nothing gets out without passing through {@link visible}, so no word of an app
 * or an agent can move the cursor or hide, whichever command prints it.
 */
export class Screen {
  readonly json: boolean;
  readonly #out: Writable;
  readonly #err: Writable;
  readonly #patience: Patience;

  constructor(json: boolean, out: Writable, err: Writable, patience: Patience = PATIENCE) {
    this.json = json;
    this.#out = out;
    this.#err = err;
    this.#patience = patience;
  }

  /** Columns that a line of the result should keep to: the terminal's, and 80 where there is none. */
  get columns(): number {
    const { columns } = this.#out as Partial<WriteStream>;
    return columns === undefined || columns === 0 ? USUAL_COLUMNS : columns;
  }

  /** The result of a command; `lines` is only called when a person reads. */
  result(value: unknown, lines: () => readonly Line[]): void {
    if (this.json) this.#out.write(`${visibleJson(value)}\n`);
    else for (const line of lines()) this.line(line);
  }

  line(line: Line): void {
    this.#out.write(`${drawn(line, this.#out)}\n`);
  }

  note(line: Line): void {
    this.#err.write(`${drawn(line, this.#err)}\n`);
  }

  /** The beginning of a line that the person ends. */
  ask(text: string): void {
    this.#err.write(visible(text));
  }

  /** One line of JSON Lines, for output that goes on or that programs always read. */
  jsonLine(value: unknown): void {
    this.#out.write(`${visibleJson(value)}\n`);
  }

  /** Waits for `work`; says so once it takes longer than a moment. */
  async while<T>(what: string, work: Promise<T>): Promise<T> {
    const started = performance.now();
    const say = (): void => {
      this.note([{ text: `${what} (${Math.round((performance.now() - started) / 1000)} s)`, style: 'dim' }]);
      timer = setTimeout(say, this.#patience.between);
    };
    let timer = setTimeout(say, this.#patience.first);
    try {
      return await work;
    } finally {
      clearTimeout(timer);
    }
  }
}

function drawn(line: Line, stream: Writable): string {
  const pieces = typeof line === 'string' ? [line] : line;
  return pieces
    .map((piece) =>
      typeof piece === 'string'
        ? visible(piece)
        : // Follows NO_COLOR, and is plain where the stream is not a terminal.
          styleText(piece.style, visible(piece.text), { stream }),
    )
    .join('');
}
