// SPDX-License-Identifier: Apache-2.0
import { asOperator } from '../bus.ts';
import type { Invocation } from '../command.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { pendingLines } from '../pending-lines.ts';

export async function run({ options, screen, env }: Invocation): Promise<ExitCode> {
  const ended = options.on('ended');
  const asked = asOperator(env, (operator) => operator.approvals.list({ ended }));
  const rows = await screen.while('the broker has not answered yet', asked);
  screen.result(rows, () => {
    if (rows.length === 0)
      return [ended ? 'nothing waits and nothing ended lately' : 'nothing waits for you'];
    return rows.flatMap((row) => pendingLines(row, Date.now(), screen.columns));
  });
  return EXIT.ok;
}
