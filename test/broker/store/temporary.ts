// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A directory for one test, and what removes it again. */
export interface Temporary {
  readonly path: string;
  in(name: string): string;
  remove(): void;
}

export function temporaryDirectory(): Temporary {
  const path = mkdtempSync(join(tmpdir(), 'portal-store-'));
  return {
    path,
    in: (name) => join(path, name),
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** The `code` of what `run` throws; 'nothing thrown' otherwise. */
export function codeOf(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error;
  }
  return 'nothing thrown';
}
