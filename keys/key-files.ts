// SPDX-License-Identifier: Apache-2.0
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AppId } from './app-id.ts';

/** An Ed25519 key, private or public, is a file of exactly this many raw bytes. */
export const KEY_BYTES = 32;

/** Where an app's key lies in a trusted directory. */
export function keyFile(directory: string, appId: AppId): string {
  return join(directory, `${appId}.pub`);
}

/** Where further keys of the app lie while one is being rotated. */
export function rotationFolder(directory: string, appId: AppId): string {
  return join(directory, `${appId}.d`);
}

/** The key files in an existing rotation folder, in a fixed order. */
export function rotationFiles(folder: string): readonly string[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.pub'));
  return names.sort().map((name) => join(folder, name));
}
