// SPDX-License-Identifier: Apache-2.0

// Line breaks and tabs count as spaces; everything else that shows nothing, or turns the direction of what follows,
// is left out: two names that look the same must not pass for two elements, and none may break out of its line.
const SPACES = /[\s\p{Z}]+/gu;
const INVISIBLE = /[\p{C}--\s]/gv;

/**
 * A text of an app as it may be kept and shown: one line, nothing invisible, no space at its ends, at most `maxLength`
 * UTF-16 code units (an ellipsis is then the last of them).
 */
export function label(text: string, maxLength: number): string {
  const isLong = text.length > maxLength;
  const clean = (isLong ? copyOf(text.slice(0, maxLength - 1)) : text)
    .replace(INVISIBLE, '')
    .replace(SPACES, ' ')
    .trim();
  return isLong ? `${clean}…` : clean;
}

/** A slice shares the memory of the text it was cut from: a copy lets a megabyte go. */
function copyOf(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
