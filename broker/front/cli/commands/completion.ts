// SPDX-License-Identifier: Apache-2.0
import type { Invocation } from '../command.ts';
import { completionScript, SHELLS } from '../completion.ts';
import { CliError } from '../error.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { COMMANDS } from '../table.ts';

export async function run({ operands, screen }: Invocation): Promise<ExitCode> {
  const shell = SHELLS.find((name) => name === operands[0]);
  if (shell === undefined) {
    throw new CliError(
      'BadOperand',
      `there is no completion for \`${operands[0]}\``,
      `name one of ${SHELLS.join(', ')}`,
    );
  }
  const script = completionScript(shell, COMMANDS);
  screen.result({ shell, script: script.join('\n') }, () => script);
  return EXIT.ok;
}
