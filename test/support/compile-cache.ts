// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Where the processes of one test run share what they compiled: most of a peer's start is reading the same TypeScript
 * again. It goes with the run.
 */
export const COMPILE_CACHE = mkdtempSync(join(tmpdir(), 'portal-compiled-'));

process.once('exit', () => rmSync(COMPILE_CACHE, { recursive: true, force: true }));
