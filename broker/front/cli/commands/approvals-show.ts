// SPDX-License-Identifier: Apache-2.0
import { asOperator } from '../bus.ts';
import type { Invocation } from '../command.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { showQuestion, waitingRow } from '../pending-row.ts';

export async function run({ operand, screen, env }: Invocation): Promise<ExitCode> {
  const asked = asOperator(env, ({ approvals }) => waitingRow(approvals, operand));
  const row = await screen.while('the broker has not answered yet', asked);
  if (!screen.json) showQuestion(row, screen);
  screen.result(row, () => [`digest  ${row.digest}`]);
  return EXIT.ok;
}
