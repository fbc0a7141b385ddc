// SPDX-License-Identifier: Apache-2.0

/** What starts each further line of a value, so that no value can start a line of its own. */
export const CONTINUATION = '    | ';

/** A word longer than this is broken where the line ends. */
const LONGEST_WORD = 20;

const NARROW = /^[\u0020-\u02ff]$/u;

/**
 * `line` in pieces of at most `columns` columns, each but the first behind {@link CONTINUATION}.
 *
 * If the terminal wrapped by itself, a caller could pad its words until the rest of them stands at the start of a line
 * and reads like a line of ours.
 */
export function wrap(line: string, columns: number): readonly string[] {
  const room = Math.max(columns, CONTINUATION.length + 10);
  const lines: string[] = [];
  let current = '';
  let width = 0;
  for (const character of line) {
    const needs = columnsOf(character);
    if (width + needs > room) {
      const [line, rest] = split(current);
      lines.push(line);
      current = CONTINUATION + rest;
      width = columnsOf(current);
    }
    current += character;
    width += needs;
  }
  return [...lines, current];
}

/** Between two words where one ends near the edge, else where it is. */
function split(line: string): readonly [line: string, rest: string] {
  const after = line.lastIndexOf(' ') + 1;
  return line.length - after > LONGEST_WORD || line.slice(0, after).trim() === ''
    ? [line, '']
    : [line.slice(0, after), line.slice(after)];
}

/** At least the columns that a terminal needs: rather an early break than one that the terminal makes. */
function columnsOf(text: string): number {
  return [...text].reduce((sum, character) => sum + (NARROW.test(character) ? 1 : 2), 0);
}
