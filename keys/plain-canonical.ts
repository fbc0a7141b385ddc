// SPDX-License-Identifier: Apache-2.0

/** Deeper values than any document of ours are left to whoever does not recurse. */
const MAX_DEPTH = 64;

/**
 * The canonical form (RFC 8785) of plain data, or undefined for whatever is not certain to be that.
 *
 * RFC 8785 3.2.2 took the spelling of strings and numbers from `JSON.stringify`, and the engine writes members in the
 * order in which they were added. So it is enough to add them in order, but for names that are array indices, which the
 * engine puts first: they are left to the library, as is everything that `JSON.stringify` would change or leave out.
 */
export function plainCanonicalText(value: unknown): string | undefined {
  const ordered = inOrder(value, MAX_DEPTH);
  return ordered === undefined ? undefined : JSON.stringify(ordered);
}

function inOrder(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return value.isWellFormed() ? value : undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value === 'boolean' || value === null) return value;
  if (typeof value !== 'object' || depth === 0) return undefined;
  if (Array.isArray(value)) return itemsInOrder(value, depth - 1);
  return Object.getPrototypeOf(value) === Object.prototype ? membersInOrder(value, depth - 1) : undefined;
}

function itemsInOrder(items: readonly unknown[], depth: number): unknown {
  const ordered: unknown[] = [];
  for (const item of items) {
    const written = inOrder(item, depth);
    if (written === undefined) return undefined;
    ordered.push(written);
  }
  return ordered;
}

function membersInOrder(value: object, depth: number): unknown {
  const ordered: Record<string, unknown> = {};
  // By UTF-16 code units (RFC 8785 3.2.3), which is how `sort` compares.
  for (const name of Object.keys(value).sort()) {
    if (isDigit(name.charCodeAt(0)) || name === '__proto__' || !name.isWellFormed()) return undefined;
    const written = inOrder(Reflect.get(value, name), depth);
    if (written === undefined) return undefined;
    ordered[name] = written;
  }
  return ordered;
}

function isDigit(char: number): boolean {
  return char >= 0x30 && char <= 0x39;
}
