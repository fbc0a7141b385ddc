// SPDX-License-Identifier: Apache-2.0

const STRING = String.raw`"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"`;
const VALUE = String.raw`${STRING}|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[{[]`;

/** What may stand next (RFC 8259 sections 2 to 7). */
const EXPECTED = {
  value: new RegExp(VALUE, 'y'),
  'element or end': new RegExp(String.raw`${VALUE}|\]`, 'y'),
  key: new RegExp(STRING, 'y'),
  'key or end': new RegExp(`${STRING}|\\}`, 'y'),
  colon: /:/y,
  'after a member': /[,}]/y,
  'after an element': /[,\]]/y,
  nothing: /(?!)/y,
} as const;
type Expected = keyof typeof EXPECTED;

/**
 * The line (from 1) on which a text stops being JSON; for one that only ends too early, its last line. For messages:
 * `JSON.parse` decides what is JSON, and does not always say where it is not.
 */
export function lineOfBreak(text: string): number {
  const open: string[] = [];
  let expected: Expected = 'value';
  let at = 0;
  for (;;) {
    at = take(/[ \t\n\r]*/y, text, at)?.end ?? at;
    const token = take(EXPECTED[expected], text, at);
    if (token === undefined) break;
    at = token.end;
    expected = following(token.text, expected, open);
  }
  const before = at === text.length ? text.trimEnd() : text.slice(0, at);
  return before.split('\n').length;
}

function take(pattern: RegExp, text: string, at: number): { text: string; end: number } | undefined {
  pattern.lastIndex = at;
  const found = pattern.exec(text)?.[0];
  return found === undefined ? undefined : { text: found, end: at + found.length };
}

/** What may follow a token. `open` holds the containers around the place. */
function following(token: string, expected: Expected, open: string[]): Expected {
  switch (token) {
    case '{':
      open.push(token);
      return 'key or end';
    case '[':
      open.push(token);
      return 'element or end';
    case ',':
      return open.at(-1) === '{' ? 'key' : 'value';
    case ':':
      return 'value';
    case '}':
    case ']':
      open.pop();
  }
  if (token.startsWith('"') && expected.startsWith('key')) return 'colon';
  const around = open.at(-1);
  if (around === undefined) return 'nothing';
  return around === '{' ? 'after a member' : 'after an element';
}
