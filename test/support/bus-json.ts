// SPDX-License-Identifier: Apache-2.0
import { Variant, variant } from '../../dbus/values.ts';

// What D-Bus knows and JSON does not, on the lines between a test and its peers.

/** One line of JSON: 64-bit numbers, variants and buffers are written as marked objects. */
export function toLine(value: unknown): string {
  return JSON.stringify(mark(value));
}

export function fromLine(line: string): unknown {
  return unmark(JSON.parse(line));
}

function mark(value: unknown): unknown {
  if (typeof value === 'bigint') return { $t: String(value) };
  if (value instanceof Variant) return { $v: [value.signature, mark(value.value)] };
  if (ArrayBuffer.isView(value)) return { $b: Buffer.from(value.buffer).toString('base64') };
  if (Array.isArray(value)) return value.map(mark);
  if (value instanceof Map) return { $m: [...value].map(mark) };
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mark(inner)]));
}

function unmark(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unmark);
  if (typeof value !== 'object' || value === null) return value;
  if ('$t' in value) return BigInt(String(value.$t));
  if ('$v' in value && Array.isArray(value.$v)) return variant(String(value.$v[0]), unmark(value.$v[1]));
  if ('$b' in value) return Buffer.from(String(value.$b), 'base64');
  if ('$m' in value && Array.isArray(value.$m)) return new Map(value.$m.map(unmark) as [unknown, unknown][]);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, unmark(inner)]));
}
