// SPDX-License-Identifier: Apache-2.0
import { asOperator } from '../bus.ts';
import type { Invocation } from '../command.ts';
import { CliError } from '../error.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { whom, wordsForWhom } from '../whom.ts';

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { screen, env } = invocation;
  const principal = whom(invocation);
  if (principal === undefined) {
    throw new CliError(
      'BadOperand',
      '`resume` needs to know whom',
      'name a principal, or add `--all`; `portalctl suspend` shows who is suspended',
    );
  }
  const resuming = asOperator(env, ({ stopping }) => stopping.resume(principal));
  await screen.while('waiting for you to authenticate', resuming);
  screen.result({ principal, resumed: true }, () => [`resumed  ${wordsForWhom(principal)}`]);
  return EXIT.ok;
}
