// SPDX-License-Identifier: Apache-2.0
import { asOperator } from '../bus.ts';
import type { Invocation } from '../command.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { waitingRow } from '../pending-row.ts';

export async function run({ operand, screen, env }: Invocation): Promise<ExitCode> {
  const { id, invocation, capability } = await asOperator(env, async ({ approvals }) => {
    const row = await waitingRow(approvals, operand);
    await approvals.later(row.id);
    return row;
  });
  screen.result({ id, invocation, later: true }, () => [`off the screen, and in the list  ${capability}`]);
  return EXIT.ok;
}
