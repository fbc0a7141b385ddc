// SPDX-License-Identifier: Apache-2.0
import { asOperator } from '../bus.ts';
import type { Invocation } from '../command.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { grantLines } from '../grant-lines.ts';

export async function run({ screen, env }: Invocation): Promise<ExitCode> {
  const asked = asOperator(env, (operator) => operator.grants.list());
  const grants = await screen.while('the broker has not answered yet', asked);
  screen.result(grants, () =>
    grants.length === 0
      ? ['nothing is granted']
      : grants.flatMap((grant) => grantLines(grant, Date.now(), screen.columns)),
  );
  return EXIT.ok;
}
