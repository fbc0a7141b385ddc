// SPDX-License-Identifier: Apache-2.0
import { type Command, type Completes, EVERYWHERE } from '../command.ts';

/** What completion needs of one command. */
export interface Row {
  readonly words: readonly string[];
  readonly name: string;
  readonly summary: string;
  readonly options: readonly RowOption[];
  readonly operand: Completes | undefined;
  readonly passthrough: boolean;
}

export function completionRow(command: Command): Row {
  return {
    words: command.name.split(' '),
    name: command.name,
    summary: command.summary,
    options: Object.entries({ ...command.options, ...EVERYWHERE }).map(
      ([name, { value, summary, completes }]) => ({
        flag: `--${name}`,
        summary,
        takes: value,
        completes,
      }),
    ),
    operand: command.operand?.completes,
    passthrough: command.passthrough !== undefined,
  };
}

/** First words, with what completes them: each once, in the order of the table. */
export function firstWords(
  table: readonly Row[],
): readonly { word: string; summary: string; seconds: readonly Row[] }[] {
  const words = [...new Set(table.map(({ words }) => words[0] ?? ''))];
  return words.map((word) => {
    const rows = table.filter(({ words }) => words[0] === word);
    const seconds = rows.filter(({ words }) => words.length > 1);
    const summary = seconds.length === 0 ? rows[0]?.summary : seconds.map(({ words }) => words[1]).join(', ');
    return { word, summary: summary ?? '', seconds };
  });
}

/** One option as it is typed. */
export interface RowOption {
  readonly flag: string;
  readonly summary: string;
  /** The placeholder of its value; undefined for a switch. */
  readonly takes: string | undefined;
  readonly completes: Completes | undefined;
}

/** `text` as one word of a POSIX-like shell. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
