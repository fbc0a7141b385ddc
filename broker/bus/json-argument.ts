// SPDX-License-Identifier: Apache-2.0
import { KeyError } from '../../keys/error.ts';
import { parseStrictJson } from '../../keys/strict-json.ts';
import { CallError } from './errors.ts';
import { textArgument } from './options.ts';

const LIMITS = { maxBytes: 512 * 1024, maxDepth: 16 };

/**
 * An argument that is JSON text: a rule, a grant, a request. What it must hold is for its reader to say.
 * @throws CallError `InvalidArgs` for what is not strict JSON, or too large
 */
export function jsonArgument(argument: unknown): unknown {
  try {
    return parseStrictJson(Buffer.from(textArgument(argument), 'utf8'), LIMITS);
  } catch (error) {
    if (!(error instanceof KeyError)) throw error;
    throw new CallError('InvalidArgs', 'expected strict JSON: one value, no key twice, no unsafe number');
  }
}
