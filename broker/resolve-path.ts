// SPDX-License-Identifier: Apache-2.0
import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * Follows the links of an absolute path as far as it exists; what does not exist yet is kept as given. What the path
 * leads to can change between this look and the app's own: the app acts on what it finds then.
 */
export function resolvePath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(resolvePath(parent), basename(path));
  }
}
