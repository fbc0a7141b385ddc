// SPDX-License-Identifier: Apache-2.0
import { asOperator } from '../bus.ts';
import type { Invocation } from '../command.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { waitingRow } from '../pending-row.ts';
import { span } from '../span.ts';

export async function run({ operand, screen, env }: Invocation): Promise<ExitCode> {
  const row = await asOperator(env, async ({ approvals }) => {
    const { id } = await waitingRow(approvals, operand);
    await approvals.extend(id);
    return await waitingRow(approvals, id);
  });
  const { id, invocation, capability, expires_at } = row;
  screen.result({ id, invocation, expires_at }, () => [
    `${capability} ends in ${span(expires_at - Date.now())}`,
  ]);
  return EXIT.ok;
}
