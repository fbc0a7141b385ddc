// SPDX-License-Identifier: Apache-2.0
import { quote } from './escape.ts';

const TOKEN = /"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+/g;

/**
 * JSON text as indented lines for a person, every string escaped by {@link quote}.
 *
 * Works on the text and not on a parsed value: what is shown is then what was sent, also for a number too long for a
 * double or a key that is there twice. Text that is not JSON comes back as one quoted line.
 */
export function jsonLines(text: string): readonly string[] {
  if (!isJson(text)) return [quote(text)];
  const lines: string[] = [];
  let line = '';
  let depth = 0;
  let previous = '';
  const endLine = (): void => {
    lines.push(line);
    line = '  '.repeat(depth);
  };
  for (const [token] of text.matchAll(TOKEN)) {
    const opens = previous === '{' || previous === '[';
    if (token === '}' || token === ']') {
      depth -= 1;
      if (!opens) endLine();
    } else if (opens) endLine();
    line += token.startsWith('"') ? quote(decodeString(token)) : token;
    if (token === '{' || token === '[') depth += 1;
    if (token === ',') endLine();
    if (token === ':') line += ' ';
    previous = token;
  }
  return [...lines, line];
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function decodeString(token: string): string {
  const value: unknown = JSON.parse(token);
  return typeof value === 'string' ? value : token;
}
