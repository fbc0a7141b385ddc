// SPDX-License-Identifier: Apache-2.0
import { approveRow } from '../approve-row.ts';
import { changedParameters, editable } from '../changed-parameters.ts';
import type { Invocation } from '../command.ts';
import { requireTerminal } from '../consent.ts';
import { editorIn, editText } from '../edit-text.ts';
import { CliError } from '../error.ts';
import type { ExitCode } from '../exit.ts';
import { parametersIn } from '../parameters.ts';
import type { WaitingRow } from '../pending-row.ts';

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { options } = invocation;
  const given = options.text('params') === undefined ? undefined : JSON.stringify(parametersIn(options));
  if (given === undefined) requireTerminal('give the parameters with `--params`');
  return await approveRow(invocation, async (row) => ({
    params: changedParameters(row.params, given ?? (await edited(invocation, row))),
    note: options.text('note'),
  }));
}

async function edited({ env }: Invocation, { params }: WaitingRow): Promise<string> {
  const editor = editorIn(env);
  if (editor === undefined) {
    throw new CliError(
      'Refused',
      'there is no editor to change the parameters with',
      'export EDITOR, for example `EDITOR=nano`, or give them with `--params`',
    );
  }
  return await editText(editable(params), editor, env);
}
