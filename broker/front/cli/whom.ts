// SPDX-License-Identifier: Apache-2.0
import { EVERYBODY } from '../../client.ts';
import type { Invocation } from './command.ts';
import { CliError } from './error.ts';

/** The principal that is named, `*` with `--all`, undefined for neither. Throws `BadOption` for both. */
export function whom({ operand, options }: Pick<Invocation, 'operand' | 'options'>): string | undefined {
  const all = options.on('all');
  if (all && operand !== '') {
    throw new CliError('BadOption', '`--all` and a principal exclude each other', 'leave one of them out');
  }
  if (all) return EVERYBODY;
  return operand === '' ? undefined : operand;
}

/** A principal, or everybody, for a person. */
export function wordsForWhom(principal: string): string {
  return principal === EVERYBODY ? 'everybody' : principal;
}
