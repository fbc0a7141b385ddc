// SPDX-License-Identifier: Apache-2.0
import { asOperator } from '../bus.ts';
import type { Invocation } from '../command.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { waitingRow } from '../pending-row.ts';

export async function run({ operand, options, screen, env }: Invocation): Promise<ExitCode> {
  const session = options.on('session');
  const { id, invocation, capability } = await asOperator(env, async ({ approvals }) => {
    const row = await waitingRow(approvals, operand);
    await approvals.deny(row.id, { note: options.text('note'), session });
    return row;
  });
  screen.result({ id, invocation, denied: true }, () => [
    `denied  ${capability}`,
    ...(session ? ['  the same again is denied until the connection of its caller ends'] : []),
  ]);
  return EXIT.ok;
}
