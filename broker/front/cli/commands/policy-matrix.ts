// SPDX-License-Identifier: Apache-2.0
import { asOperator } from '../bus.ts';
import type { Invocation } from '../command.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { matrixLines } from '../matrix-lines.ts';

export async function run({ options, screen, env }: Invocation): Promise<ExitCode> {
  const filter = {
    principal: options.text('principal'),
    capability: options.text('capability'),
    appId: options.text('app'),
  };
  const asked = asOperator(env, (operator) => operator.policy.matrix(filter));
  const rows = await screen.while('the broker has not answered yet', asked);
  screen.result(rows, () => matrixLines(rows, screen.columns));
  return EXIT.ok;
}
