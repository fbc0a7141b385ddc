// SPDX-License-Identifier: Apache-2.0

// Control, format (bidirectional marks, zero-width characters, tags), surrogate, private-use and unassigned characters,
// and every separator but the plain space: whatever could hide, reorder or imitate text.
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/gu;

/** Text for a person, in which nothing is invisible: such characters become `\u{..}`, and a backslash is doubled. */
export function visible(text: string): string {
  return text.replaceAll('\\', '\\\\').replace(HIDDEN, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`);
}

/** The same for JSON text, which stays JSON text of the same value: such characters become JSON's own escapes. */
export function visibleJson(json: string): string {
  return json.replace(HIDDEN, (char) =>
    [...Array(char.length).keys()]
      .map((index) => `\\u${char.charCodeAt(index).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
