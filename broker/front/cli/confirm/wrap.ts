// SPDX-License-Identifier: Apache-2.0

/** What starts each further line of a value, so that no value can start a line of its own. */
export const CONTINUATION = '    | ';

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
    // Wide where it may be: rather an early break than one that the terminal makes.
    const needs = NARROW.test(character) ? 1 : 2;
    if (width + needs > room) {
      lines.push(current);
      current = CONTINUATION;
      width = CONTINUATION.length;
    }
    current += character;
    width += needs;
  }
  return [...lines, current];
}
