// SPDX-License-Identifier: Apache-2.0
// What must never reach a person as it is. A terminal obeys control characters, a text field re-orders at bidirectional
// ones, and both show nothing at all for the rest, so that a person would read something else than what runs.
//  - \p{C}: controls, format characters (bidirectional, zero-width, tags), surrogates, private and unassigned code points
//  - line and paragraph separators, every space that is not U+0020, and what Unicode calls default-ignorable
//  - enclosing marks, and blank symbols: braille blank, object replacement, musical null notehead
//  - a combining mark that has no letter of its own to sit on, or is the fifth on one: it would paint over its neighbours
const HIDDEN =
  /[\p{C}\p{Zl}\p{Zp}\p{Me}\p{Default_Ignorable_Code_Point}\u2800\uFFFC\u{1D159}]|[\p{Zs}--\u0020]/v;
const LETTER = /[\p{L}\p{N}]/v;
const MARK = /\p{M}/v;
const MOST_MARKS = 4;

const UNKNOWN = 0;
const PLAIN = 1;
const HIDES = 2;
const CARRIES_MARKS = 3;
const IS_MARK = 4;
/** What each code point is, found out once: a text of a million hidden characters must not stop everybody. */
const kinds = new Uint8Array(0x110000);

function kindOf(point: number): number {
  const known = kinds[point] ?? HIDES;
  if (known !== UNKNOWN) return known;
  const character = String.fromCodePoint(point);
  const kind = HIDDEN.test(character)
    ? HIDES
    : MARK.test(character)
      ? IS_MARK
      : LETTER.test(character)
        ? CARRIES_MARKS
        : PLAIN;
  kinds[point] = kind;
  return kind;
}

/** One pass over `text`, in which each character that acts or hides is replaced by its spelling. */
function spelled(text: string, spell: (point: number) => string): string {
  let shown = '';
  let done = 0;
  let marks = MOST_MARKS;
  for (let at = 0; at < text.length; ) {
    const point = text.codePointAt(at) ?? 0;
    const next = at + (point > 0xffff ? 2 : 1);
    const kind = kindOf(point);
    const stands = kind === IS_MARK ? marks < MOST_MARKS : kind !== HIDES;
    marks = kind === CARRIES_MARKS ? 0 : kind === IS_MARK ? marks + 1 : MOST_MARKS;
    if (!stands) {
      shown += text.slice(done, at) + spell(point);
      done = next;
    }
    at = next;
  }
  return done === 0 ? text : shown + text.slice(done);
}

const SHORT: ReadonlyMap<number, string> = new Map([
  [0x09, '\\t'],
  [0x0a, '\\n'],
]);

function textEscape(point: number): string {
  return SHORT.get(point) ?? `\\u{${point.toString(16)}}`;
}

function jsonEscape(point: number): string {
  return point > 0xffff
    ? unit(0xd800 + ((point - 0x10000) >> 10)) + unit(0xdc00 + ((point - 0x10000) & 0x3ff))
    : unit(point);
}

function unit(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`;
}

/** `text` with every character that acts or hides shown as `\u{..}`, `\n` or `\t`. For text of our own: not reversible. */
export function visible(text: string): string {
  return spelled(text, textEscape);
}

/** The same for somebody else's text, and reversible: a literal backslash is doubled, so that it cannot imitate an escape. */
export function escapeText(text: string): string {
  return visible(text.replaceAll('\\', '\\\\'));
}

/** The inverse of {@link escapeText}. */
export function unescapeText(text: string): string {
  return text.replace(
    /\\(?:([\\"])|([nt])|u\{([0-9a-f]{1,6})\})/g,
    (_, literal?: string, short?: string, hex?: string) => {
      if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
      return short === undefined ? (literal ?? '') : short === 'n' ? '\n' : '\t';
    },
  );
}

/** JSON text in which such characters are spelled in JSON's own way: it reads back as the same value. */
export function visibleJson(json: string): string {
  return spelled(json, jsonEscape);
}

/** A JSON value with every text in it escaped like that. */
export function escapeTexts(value: unknown): unknown {
  if (typeof value === 'string') return escapeText(value);
  if (Array.isArray(value)) return value.map(escapeTexts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [escapeText(key), escapeTexts(inner)]),
  );
}
