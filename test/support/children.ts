// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where the processes of one run share what they compiled: most of a peer's start is reading the same TypeScript again. */
const COMPILED = mkdtempSync(join(tmpdir(), 'portal-compiled-'));

process.once('exit', () => rmSync(COMPILED, { recursive: true, force: true }));

/** What every process that a test starts gets of the test's own environment: as little as there is. */
export function forChildren(): Readonly<Record<string, string | undefined>> {
  const { PATH, NODE_V8_COVERAGE } = process.env;
  // With coverage on, what ran in the children counts too; cached code is not instrumented.
  return NODE_V8_COVERAGE === undefined ? { PATH, NODE_COMPILE_CACHE: COMPILED } : { PATH, NODE_V8_COVERAGE };
}
