// SPDX-License-Identifier: Apache-2.0

// What must never reach a terminal as it is. A terminal obeys control characters, re-orders text at bidirectional ones
// and shows nothing at all for the rest, so that a person would read something else than what runs.
//  - \p{C}: controls, format characters (bidirectional, zero-width, tags), surrogates, private and unassigned code points
//  - line and paragraph separators, every space that is not U+0020, and what Unicode calls default-ignorable
//  - enclosing marks, and blank symbols: braille blank, object replacement, musical null notehead
//  - a combining mark that has no letter of its own to sit on, or is the fifth on one: it would paint over its neighbours
const INVISIBLE =
  /[\p{C}\p{Zl}\p{Zp}\p{Me}\p{Default_Ignorable_Code_Point}\u2800\uFFFC\u{1D159}]|[\p{Zs}--\u0020]|(?<![[\p{L}\p{N}]--\p{Default_Ignorable_Code_Point}][[\p{Mn}\p{Mc}]--\p{Default_Ignorable_Code_Point}]{0,3})\p{M}/gv;

// Letters that a terminal may draw from right to left (Unicode has more, but assigns these blocks to such scripts).
const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFE\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;

function codePointEscape(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** `text` with every character that acts or hides shown as `\u{..}`. A backslash stays: not reversible, for text of our own. */
export function visible(text: string): string {
  return text.replace(INVISIBLE, codePointEscape);
}

/** The JSON text of `value` in which such characters are spelled in JSON's own way: it reads back as the same value. */
export function visibleJson(value: unknown): string {
  return JSON.stringify(value).replace(INVISIBLE, (character) =>
    Array.from(
      { length: character.length },
      (_, unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}

/** Like {@link visible}, and reversible: a literal backslash is doubled, so that it cannot imitate an escape. */
export function escapeText(text: string): string {
  return visible(text.replaceAll('\\', '\\\\'));
}

/** Somebody else's words, in quotes: escaped, and with its own quotes escaped, so that its end is certain. */
export function quote(text: string): string {
  return `"${escapeText(text).replaceAll('"', '\\"')}"`;
}

/** The inverse of {@link escapeText}, and of {@link quote} without its outer quotes. */
export function unescapeText(text: string): string {
  return text.replace(/\\(?:([\\"])|u\{([0-9a-f]{1,6})\})/g, (_, literal?: string, hex?: string) =>
    hex === undefined ? (literal ?? '') : String.fromCodePoint(Number.parseInt(hex, 16)),
  );
}

/** Whether the order on the screen may differ from the order in `text` although every character of it is visible. */
export function mayReorder(text: string): boolean {
  return RIGHT_TO_LEFT.test(text);
}
