// SPDX-License-Identifier: Apache-2.0
import { visibleJson as visibleJsonText } from '../../visible.ts';
import { CliError } from './error.ts';
import { parameterObject } from './parameters.ts';

/** JSON text for an editor: a member a line, and nothing in it that hides. Reads back as the same value. */
export function editable(params: string): string {
  const lines = JSON.stringify(JSON.parse(params), undefined, 2).split('\n');
  return lines.map(visibleJsonText).join('\n');
}

/**
 * What a person made of the parameters, as the JSON text that is sent.
 * @throws CliError `BadOption` for what is no JSON object, `Refused` where nothing was changed
 */
export function changedParameters(before: string, after: string): string {
  const changed = JSON.stringify(parameterObject(Buffer.from(after)));
  if (changed === JSON.stringify(JSON.parse(before))) {
    throw new CliError(
      'Refused',
      'the parameters are the same as before',
      'approve it as it is, or change them',
    );
  }
  return changed;
}
