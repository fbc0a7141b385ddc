// SPDX-License-Identifier: Apache-2.0
import type { Suspension } from '../../../client.ts';
import { asOperator } from '../bus.ts';
import type { Invocation } from '../command.ts';
import { CliError } from '../error.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { wholeNumber } from '../option-values.ts';
import { span } from '../span.ts';
import { whom, wordsForWhom } from '../whom.ts';

/** A year. */
const MINUTES = { least: 1, most: 525_600 } as const;

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { options, screen, env } = invocation;
  const principal = whom(invocation);
  const minutes = wholeNumber(options, 'minutes', MINUTES);
  if (principal === undefined && minutes !== undefined) {
    throw new CliError('BadOption', '`--minutes` needs to know whom', 'name a principal, or add `--all`');
  }
  const suspended = await asOperator(env, async ({ stopping }) => {
    if (principal !== undefined) await stopping.suspend(principal, minutes);
    return await stopping.list();
  });
  screen.result(suspended, () => (suspended.length === 0 ? ['nobody is suspended'] : suspended.map(words)));
  return EXIT.ok;
}

function words({ principal, until }: Suspension): string {
  const end = until === undefined ? 'until resumed' : `for ${span(until - Date.now())}`;
  return `suspended  ${wordsForWhom(principal)}, ${end}`;
}
