// SPDX-License-Identifier: Apache-2.0

const STRING = String.raw`"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"`;
const VALUE = String.raw`${STRING}|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[{[]`;

const next = (token: string): RegExp => new RegExp(String.raw`[ \t\n\r]*(?:${token})`, 'y');

/** What may stand next (RFC 8259 sections 2 to 7). */
const EXPECTED = {
  value: next(VALUE),
  'element or end': next(String.raw`${VALUE}|\]`),
  key: next(STRING),
  'key or end': next(String.raw`${STRING}|\}`),
  colon: next(':'),
  'after a member': next('[,}]'),
  'after an element': next(String.raw`[,\]]`),
  nothing: next('(?!)'),
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
    const pattern = EXPECTED[expected];
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found === null) break;
    at = pattern.lastIndex;
    expected = following(found[0].trimStart(), expected, open);
  }
  const rest = text.slice(at).replace(/^[ \t\n\r]+/, '');
  const before = rest === '' ? text.trimEnd() : text.slice(0, -rest.length);
  return before.split('\n').length;
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
