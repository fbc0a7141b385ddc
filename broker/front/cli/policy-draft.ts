// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { currentUser } from '../../../keys/anchor-file.ts';
import { Witness } from '../../../keys/witness.ts';
import type { Rule } from '../../../policy/rule.ts';
import { DEFAULTS } from '../../config.ts';
import { PolicyFileError } from '../../rules/error.ts';
import { readPolicyFiles } from '../../rules/policy-files.ts';
import { readInput } from './files.ts';

/** What the broker would say of a file if it were one of its own. */
export type Draft =
  | { readonly path: string; readonly rules: readonly Rule[]; readonly locked: readonly string[] }
  | { readonly path: string; readonly refused: { line: number | undefined; at: string; reason: string } };

/** More than the reader takes, so that it is the one to refuse. */
const MOST_BYTES = 2 * 1024 * 1024;

/**
 * Reads a policy file before it is installed. The reader is the broker's, which takes directories and looks at who owns them;
 * a draft is anywhere and anybody's, so a copy is read.
 *
 * @param source whose file it is to become; one of the user's may only tighten
 * @throws the system's error where the file cannot be read at all
 */
export function readDraft(path: string, source: 'root' | 'user'): Draft {
  const directory = mkdtempSync(join(tmpdir(), 'portalctl-'));
  try {
    writeFileSync(join(directory, basename(path)), readInput(path, MOST_BYTES), { mode: 0o600 });
    const place = { directory, source, owners: [currentUser()] };
    const { files } = readPolicyFiles(place, new Witness(Date.now()), DEFAULTS.policyLimits);
    const [file] = files;
    if (file !== undefined) return { path, rules: file.rules, locked: file.locked };
    const reason = 'the broker reads files whose name ends with `.json` and begins with no dot';
    return { path, refused: { line: undefined, at: '', reason } };
  } catch (error) {
    if (!(error instanceof PolicyFileError)) throw error;
    const { line, at, reason } = error.refusal;
    return { path, refused: { line, at, reason } };
  } finally {
    rmSync(directory, { recursive: true });
  }
}
