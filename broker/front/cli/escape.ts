// SPDX-License-Identifier: Apache-2.0

import { escapeText, visibleJson as visibleJsonText } from '../../visible.ts';

export { escapeText, unescapeText, visible } from '../../visible.ts';

// Letters that a terminal may draw from right to left (Unicode has more, but assigns these blocks to such scripts).
const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFE\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;

/** The JSON text of `value` without such characters: it reads back as the same value. */
export function visibleJson(value: unknown): string {
  return visibleJsonText(JSON.stringify(value));
}

/** Somebody else's words, in quotes: escaped, and with its own quotes escaped, so that its end is certain. */
export function quote(text: string): string {
  return `"${escapeText(text).replaceAll('"', '\\"')}"`;
}

/** Whether the order on the screen may differ from the order in `text` although every character of it is visible. */
export function mayReorder(text: string): boolean {
  return RIGHT_TO_LEFT.test(text);
}
