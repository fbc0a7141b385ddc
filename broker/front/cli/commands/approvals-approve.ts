// SPDX-License-Identifier: Apache-2.0
import type { ApproveOptions } from '../../../client.ts';
import { approveRow } from '../approve-row.ts';
import type { Invocation, Options } from '../command.ts';
import { CliError } from '../error.ts';
import type { ExitCode } from '../exit.ts';
import { wholeNumber } from '../option-values.ts';

export async function run(invocation: Invocation): Promise<ExitCode> {
  const given = approveOptions(invocation.options);
  return await approveRow(invocation, () => Promise.resolve(given));
}

function approveOptions(options: Options): ApproveOptions {
  const session = options.on('session');
  const minutes = wholeNumber(options, 'minutes', { least: 1, most: 480 });
  if (minutes !== undefined && !session) {
    throw new CliError('BadOption', '`--minutes` is how long `--session` lasts', 'add `--session`');
  }
  return { ...(session && { choice: 'session' as const }), minutes, note: options.text('note') };
}
