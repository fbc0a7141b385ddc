// SPDX-License-Identifier: Apache-2.0
import { visible } from './escape.ts';
import { columnsOf } from './width.ts';

export interface Flow {
  /** Columns of a line. */
  readonly room: number;
  /** Columns that are taken at the beginning of the first line already. */
  readonly taken: number;
  /** Columns that every further line begins with. */
  readonly indent: number;
}

/**
 * Pieces one after the other in as few lines as they need, each with the space that follows it. No piece is broken: an id
 * can be copied from the screen, and one that no line can hold has a line for itself. What takes the beginning of the first
 * line is not repeated.
 */
export function flow(pieces: readonly string[], { room, taken, indent }: Flow): readonly string[] {
  const lines: string[] = [];
  let line = '';
  let width = taken;
  for (const piece of pieces) {
    const shown = visible(piece);
    if (width + columnsOf(shown.trimEnd()) > room && width > indent) {
      lines.push(line.trimEnd());
      line = ' '.repeat(indent);
      width = indent;
    }
    line += shown;
    width += columnsOf(shown);
  }
  return [...lines, line.trimEnd()];
}

/** The words of `text` for {@link flow}, each with its spaces, so that none of them is lost. */
export function wordsOf(text: string): readonly string[] {
  return text.split(/(?<= )(?! )/);
}

/** Texts of a list for {@link flow}, with commas between them. */
export function listed(texts: readonly string[]): readonly string[] {
  return texts.map((text, index) => (index === texts.length - 1 ? text : `${text}, `));
}

/** A sentence in indented lines. */
export function paragraph(text: string, { room, indent }: Pick<Flow, 'room' | 'indent'>): readonly string[] {
  const [first = '', ...others] = flow(wordsOf(text), { room, taken: indent, indent });
  return [' '.repeat(indent) + first, ...others];
}
