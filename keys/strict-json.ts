// SPDX-License-Identifier: Apache-2.0
import { KeyError, quote } from './error.ts';

export interface JsonLimits {
  /** Longest document in bytes. */
  readonly maxBytes: number;
  /** Most containers inside each other; a flat object has depth 1. */
  readonly maxDepth: number;
}

const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const OBJECT_START = 0x7b;
const OBJECT_END = 0x7d;
const ARRAY_START = 0x5b;
const ARRAY_END = 0x5d;
const SHORT_DIGITS = 15;
const POINT = 0x2e;
const UPPER_E = 0x45;
const LOWER_E = 0x65;
const NUMBER = /[-+.0-9Ee]+/y;
/** Without `fatal`, different bytes become the same text: each bad one turns into U+FFFD. */
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** An open `{` or `[` while scanning. */
interface Container {
  readonly parent: Container | undefined;
  readonly depth: number;
  /** The keys seen so far; undefined for an array. */
  readonly keys: Set<string> | undefined;
  /** The member the scan is in: the current key, or the current index. */
  member: string | number;
}

/**
 * Parses JSON that means the same to every reader (I-JSON, RFC 7493, and stricter).
 *
 * `JSON.parse` decides the grammar. A scan of the same text then refuses what the grammar lets through although readers disagree on
 * it: repeated keys (also when one is spelled with escapes), lone surrogates, NUL, numbers that a double does not keep, `-0`, and
 * depth. The scan relies on the text being well-formed, hence the order. Neither recurses; both are linear.
 * @returns what `JSON.parse` returns: plain data, where `__proto__` can be an own key
 * @throws KeyError `JsonMalformed`, with the JSON pointer of the place
 */
export function parseStrictJson(bytes: Uint8Array, limits: JsonLimits): unknown {
  if (bytes.length > limits.maxBytes) {
    throw malformed(`is ${bytes.length} bytes long, at most ${limits.maxBytes} are allowed`, '');
  }
  const text = decodeUtf8(bytes);
  const value = parseGrammar(text);
  scan(text, limits.maxDepth);
  return value;
}

function decodeUtf8(bytes: Uint8Array): string {
  let text: string;
  try {
    text = UTF8.decode(bytes);
  } catch (cause) {
    throw malformed('is not UTF-8', '', cause);
  }
  if (text.startsWith('\ufeff')) throw malformed('starts with a byte order mark: save it without one', '');
  return text;
}

function parseGrammar(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch (cause) {
    // The engine's own words may repeat the document, so only the position is taken over.
    const place = /\(line \d+ column \d+\)$/.exec(String(cause))?.[0];
    throw malformed(place === undefined ? 'is not JSON' : `is not JSON ${place}`, '', cause);
  }
}

function scan(text: string, maxDepth: number): void {
  let open: Container | undefined;
  let keyIsNext = false;
  /** The next backslash; a string that ends before it is what it looks like. */
  let escapeAt = -1;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (char <= SPACE) continue;
    if (char === QUOTE) {
      if (escapeAt < i) escapeAt = indexOrEnd(text, '\\', i);
      let end = text.indexOf('"', i + 1);
      let content: string | undefined;
      if (escapeAt < end) {
        end = endOfString(text, i);
        content = readEscaped(text.slice(i, end + 1), open, keyIsNext);
      }
      if (keyIsNext && open !== undefined) enterMember(open, content ?? text.slice(i + 1, end));
      keyIsNext = false;
      i = end;
    } else if (char === OBJECT_START || char === ARRAY_START) {
      keyIsNext = char === OBJECT_START;
      open = enter(open, keyIsNext, maxDepth);
    } else if (char === OBJECT_END || char === ARRAY_END) {
      keyIsNext = false;
      open = open?.parent;
    } else if (char === COMMA) {
      keyIsNext = open?.keys !== undefined;
      if (typeof open?.member === 'number') open.member += 1;
    } else if (char === MINUS || isDigit(char)) {
      i = endOfShortInteger(text, i) ?? checkNumber(text, i, open);
    }
    // What is left is `:` and the letters of true, false and null.
  }
}

function enter(parent: Container | undefined, isObject: boolean, maxDepth: number): Container {
  const depth = (parent?.depth ?? 0) + 1;
  if (depth > maxDepth) throw malformed(`nests deeper than ${maxDepth} levels`, pointerTo(parent));
  return { parent, depth, keys: isObject ? new Set() : undefined, member: isObject ? '' : 0 };
}

function enterMember(open: Container, key: string): void {
  open.member = key;
  // Parsers keep the first or the last of two equal keys, so signer, reviewer and user would each read another document.
  const { keys } = open;
  const before = keys?.size;
  if (keys?.add(key).size === before) throw malformed(`repeats the key ${quote(key)}`, pointerTo(open));
}

function indexOrEnd(text: string, part: string, from: number): number {
  const index = text.indexOf(part, from);
  return index === -1 ? text.length : index;
}

/** Where the string that opens at `start` closes: at the first quote after an even number of backslashes. */
function endOfString(text: string, start: number): number {
  let end = start;
  let backslashes: number;
  do {
    end = text.indexOf('"', end + 1);
    backslashes = 0;
    while (text[end - 1 - backslashes] === '\\') backslashes += 1;
  } while (backslashes % 2 === 1);
  return end;
}

/** The content of a string with escapes, given with its quotes. Only an escape puts a lone surrogate or a NUL into UTF-8 text. */
function readEscaped(quoted: string, open: Container | undefined, isKey: boolean): string {
  const content = String(JSON.parse(quoted));
  // A bad key has no pointer that could be written down: the place is the object around it.
  if (!content.isWellFormed())
    throw malformed('holds a lone surrogate', pointerTo(isKey ? open?.parent : open));
  if (content.includes('\0'))
    throw malformed('holds a NUL character', pointerTo(isKey ? open?.parent : open));
  return content;
}

/** Most numbers need no second look: digits alone, and fewer than any that a double does not keep. Undefined for the others. */
function endOfShortInteger(text: string, start: number): number | undefined {
  let end = start;
  while (isDigit(text.charCodeAt(end))) end += 1;
  const next = text.charCodeAt(end);
  const isWhole = next !== POINT && next !== UPPER_E && next !== LOWER_E;
  return isWhole && end > start && end - start <= SHORT_DIGITS ? end - 1 : undefined;
}

/** Checks the number that starts at `start`; returns the index of its last character. */
function checkNumber(text: string, start: number, open: Container | undefined): number {
  NUMBER.lastIndex = start;
  NUMBER.test(text);
  const end = NUMBER.lastIndex;
  const value = Number(text.slice(start, end));
  if (!Number.isFinite(value)) throw malformed('holds a number too large for a double', pointerTo(open));
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw malformed('holds an integer beyond 2^53 - 1: write it as a string', pointerTo(open));
  }
  if (Object.is(value, -0)) throw malformed('holds a negative zero', pointerTo(open));
  return end - 1;
}

function isDigit(char: number): boolean {
  return char >= 0x30 && char <= 0x39;
}

/** The JSON pointer (RFC 6901) of the value that the scan is in. */
function pointerTo(open: Container | undefined): string {
  const parts: string[] = [];
  for (let at = open; at !== undefined; at = at.parent) {
    parts.unshift(`/${String(at.member).replaceAll('~', '~0').replaceAll('/', '~1')}`);
  }
  return parts.join('');
}

function malformed(what: string, at: string, cause?: unknown): KeyError {
  return new KeyError(
    'JsonMalformed',
    at === '' ? `the document ${what}` : `${quote(at)} ${what}`,
    at,
    cause,
  );
}
