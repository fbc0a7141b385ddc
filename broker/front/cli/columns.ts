// SPDX-License-Identifier: Apache-2.0
import { visible } from './escape.ts';
import { flow, wordsOf } from './flow.ts';
import { columnsOf } from './width.ts';

const GAP = '  ';
/** Columns in front of what a row's first line has no room for. */
const INDENT = 6;
/** The part of a line up to which one cell moves the others: a single long one makes no gap in every row. */
const WIDEST = 0.5;

/**
 * Rows as lines of at most `room` columns, each column as wide as its widest cell. A row that needs more goes on in further,
 * indented lines; only its last cell is broken, between words.
 */
export function columns(rows: readonly (readonly string[])[], room: number): readonly string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) {
      const width = columnsOf(visible(cell));
      if (width <= room * WIDEST) widths[index] = Math.max(widths[index] ?? 0, width);
    }
  }
  return rows.flatMap((row) => laidOut(row, widths, room));
}

function laidOut(row: readonly string[], widths: readonly number[], room: number): readonly string[] {
  const cells = row.map((cell, index) => padded(cell, widths[index] ?? 0));
  let fit = cells.length;
  while (fit > 1 && columnsOf(line(cells.slice(0, fit))) > room) fit -= 1;
  const beginning = line(cells.slice(0, fit));
  if (fit >= cells.length) return [beginning];
  const rest = row.slice(fit);
  const pieces = [...rest.slice(0, -1).map((cell) => cell + GAP), ...wordsOf(rest.at(-1) ?? '')];
  const [first = '', ...others] = flow(pieces, { room, taken: INDENT, indent: INDENT });
  return [beginning, ' '.repeat(INDENT) + first, ...others].filter((text) => text.trim() !== '');
}

function line(cells: readonly string[]): string {
  return cells.join(GAP).trimEnd();
}

function padded(cell: string, width: number): string {
  const shown = visible(cell);
  return shown + ' '.repeat(Math.max(0, width - columnsOf(shown)));
}
