// SPDX-License-Identifier: Apache-2.0
import { approveRow, type Lend } from '../approve-row.ts';
import { changedParameters, editable } from '../changed-parameters.ts';
import type { Invocation } from '../command.ts';
import { editorIn, editText } from '../edit-text.ts';
import { CliError } from '../error.ts';
import type { ExitCode } from '../exit.ts';
import { wholeParameters } from '../parameters.ts';
import type { WaitingRow } from '../pending-row.ts';

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { options } = invocation;
  const params = options.text('params');
  const given = params === undefined ? undefined : JSON.stringify(wholeParameters(params));
  return await approveRow(invocation, async (row, lend) => ({
    params: changedParameters(row.params, given ?? (await edited(invocation, row, lend))),
    note: options.text('note'),
  }));
}

async function edited({ env }: Invocation, { params }: WaitingRow, lend: Lend): Promise<string> {
  const editor = editorIn(env);
  if (editor === undefined) {
    throw new CliError(
      'Refused',
      'there is no editor to change the parameters with',
      'export EDITOR, for example `EDITOR=nano`, or give them with `--params`',
    );
  }
  return await lend(() => editText(editable(params), editor, env));
}
