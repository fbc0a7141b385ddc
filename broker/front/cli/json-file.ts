// SPDX-License-Identifier: Apache-2.0
import { KeyError } from '../../../keys/error.ts';
import { parseStrictJson } from '../../../keys/strict-json.ts';
import { CliError } from './error.ts';
import { readInput } from './files.ts';

const LIMITS = { maxBytes: 1024 * 1024, maxDepth: 8 } as const;

/** The strict JSON of a file, `-` for standard input. Throws `BadOperand` with the place. */
export function readJsonFile(path: string): unknown {
  try {
    return parseStrictJson(readInput(path, LIMITS.maxBytes), LIMITS);
  } catch (cause) {
    if (!(cause instanceof KeyError)) throw cause;
    const at = cause.at === undefined || cause.at === '' ? '' : ` at \`${cause.at}\``;
    throw new CliError('BadOperand', `\`${path}\`${at}: ${cause.message}`, undefined, { cause });
  }
}

/** The value as an object, whose fields are for the broker to judge. */
export function asObject(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}
