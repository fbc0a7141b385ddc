// SPDX-License-Identifier: Apache-2.0
import { closeSync, openSync, readSync } from 'node:fs';

/**
 * The content of a file, or of standard input for `-`; one byte more than `maxBytes` at most, so that whoever checks the size
 * sees that there is too much and an endless file ends. Throws the system's error.
 */
export function readInput(path: string, maxBytes: number): Uint8Array {
  const file = path === '-' ? 0 : openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(maxBytes + 1);
    let length = 0;
    for (;;) {
      const read = readSync(file, bytes, length, bytes.length - length, null);
      length += read;
      if (read === 0 || length === bytes.length) return bytes.subarray(0, length);
    }
  } finally {
    if (file !== 0) closeSync(file);
  }
}
