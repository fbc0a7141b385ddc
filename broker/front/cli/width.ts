// SPDX-License-Identifier: Apache-2.0

const NARROW = /^[\u0020-\u02ff]$/u;

/** At least the columns that a terminal needs for `text`: rather an early break than one that the terminal makes. */
export function columnsOf(text: string): number {
  return [...text].reduce((sum, character) => sum + (NARROW.test(character) ? 1 : 2), 0);
}
