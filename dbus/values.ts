// SPDX-License-Identifier: Apache-2.0
import { Variant } from 'dbus-native/lib/values.js';
import { DBusError, ERROR_NAME } from './error.ts';

// Shapes on both ways: integers up to 32 bits and doubles are numbers, `x` and `t` are bigints, `ay` is a Buffer,
// arrays and structs are arrays, a dictionary is an array of [key, value] pairs in wire order (so duplicates can be
// seen), and `v` is a Variant. For sending, a plain object will also do as a dictionary with string keys.
export { Variant };

/** Wraps a value for sending as `v`, e.g. `variant('u', 5)`. */
export function variant(signature: string, value: unknown): Variant {
  return new Variant(signature, value);
}

/**
 * Reads a received `a{sv}` as a map with its variants unwrapped once (nested variants stay `Variant`).
 * Throws InvalidArgs for any other shape and for a key that comes twice: the specification calls that
 * corrupt, and two readers of one message must never see different values.
 */
export function asDictionary(value: unknown): Map<string, unknown> {
  if (!Array.isArray(value)) throw notDictionary('expected a dictionary');
  const entries: readonly unknown[] = value;
  const result = new Map<string, unknown>();
  for (const entry of entries) {
    if (!Array.isArray(entry) || entry.length !== 2) throw notDictionary('expected a dictionary');
    const [key, wrapped]: readonly unknown[] = entry;
    if (typeof key !== 'string' || !(wrapped instanceof Variant))
      throw notDictionary('expected a dictionary');
    if (result.has(key)) throw notDictionary('a dictionary key is given twice');
    result.set(key, wrapped.value);
  }
  return result;
}

function notDictionary(message: string): DBusError {
  return new DBusError('invalid', ERROR_NAME.invalidArgs, message);
}

/** Whether the strings and buffers in a value add up to more than `limit` bytes; stops as soon as that is certain. */
export function exceedsBytes(value: unknown, limit: number): boolean {
  let left = limit;
  const spend = (part: unknown): void => {
    if (left < 0) return;
    if (typeof part === 'string') left -= part.length;
    else if (ArrayBuffer.isView(part)) left -= part.byteLength;
    else if (part instanceof Variant) spend(part.value);
    else if (Array.isArray(part)) {
      left -= part.length;
      for (let index = 0; index < part.length && left >= 0; index += 1) spend(part[index]);
    } else if (typeof part === 'object' && part !== null) {
      for (const [key, inner] of Object.entries(part)) {
        left -= key.length;
        spend(inner);
      }
    }
  };
  spend(value);
  return left < 0;
}
