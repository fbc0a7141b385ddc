// SPDX-License-Identifier: Apache-2.0
import { columnsOf } from '../width.ts';

/** What starts each further line of a value, so that no value can start a line of its own. */
export const CONTINUATION = '    | ';

/** Columns of the longest word that is moved to the next line as a whole. */
const LONGEST_WORD = 20;

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
      const [full, rest] = split(current, Math.min(LONGEST_WORD, room - CONTINUATION.length - needs));
      lines.push(full);
      current = CONTINUATION + rest;
      width = columnsOf(current);
    }
    current += character;
    width += needs;
  }
  return [...lines, current];
}

/** Between two words where the last one is short enough to move, else where the line ends. */
function split(line: string, longest: number): readonly [line: string, rest: string] {
  const after = line.lastIndexOf(' ') + 1;
  const rest = line.slice(after);
  const isAlone = line.slice(0, after).trim() === '';
  return isAlone || columnsOf(rest) > longest ? [line, ''] : [line.slice(0, after), rest];
}
