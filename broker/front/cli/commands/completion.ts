// SPDX-License-Identifier: Apache-2.0
import type { Invocation } from '../command.ts';
import { completionScript, SHELLS } from '../completion.ts';
import { CliError } from '../error.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { COMMANDS } from '../table.ts';

export async function run({ operand, screen }: Invocation): Promise<ExitCode> {
  const shell = SHELLS.find((name) => name === operand);
  if (shell === undefined) {
    throw new CliError(
      'BadOperand',
      `there is no completion for \`${operand}\``,
      `name one of ${SHELLS.join(', ')}`,
    );
  }
  const script = completionScript(shell, COMMANDS);
  screen.result({ shell, script: script.join('\n') }, () => script);
  return EXIT.ok;
}
