// SPDX-License-Identifier: Apache-2.0

/**
 * One key of one group in a key file (desktop entry, D-Bus service file, .flatpak-info). Undefined where the group or
 * the key is missing or given twice: two readers of such a file may see different values.
 */
export function keyFileValue(text: string, group: string, key: string): string | undefined {
  let current = '';
  const values: string[] = [];
  let groups = 0;
  for (const line of text.split('\n')) {
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#')) continue;
    if (trimmed.startsWith('[') && trimmed.endsWith(']')) {
      current = trimmed.slice(1, -1);
      if (current === group) groups += 1;
      continue;
    }
    const equals = trimmed.indexOf('=');
    if (current === group && equals > 0 && trimmed.slice(0, equals).trimEnd() === key) {
      values.push(trimmed.slice(equals + 1).trimStart());
    }
  }
  return groups === 1 && values.length === 1 ? values[0] : undefined;
}

/** The program in an `Exec=` line: its first word, unquoted. Undefined where that is not plainly one word. */
export function programOf(exec: string): string | undefined {
  const [, quoted, plain] = /^(?:"([^"\\`$]+)"|([^\s"'\\`$%=]+))(?:\s|$)/.exec(exec) ?? [];
  return quoted ?? plain;
}
