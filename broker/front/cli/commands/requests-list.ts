// SPDX-License-Identifier: Apache-2.0
import { asOperator } from '../bus.ts';
import type { Invocation } from '../command.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { requestLines } from '../request-lines.ts';

export async function run({ screen, env }: Invocation): Promise<ExitCode> {
  const asked = asOperator(env, (operator) => operator.grants.requests());
  const requests = await screen.while('the broker has not answered yet', asked);
  screen.result(requests, () =>
    requests.length === 0
      ? ['nobody asks for anything']
      : requests.flatMap((request) => requestLines(request, Date.now(), screen.columns)),
  );
  return EXIT.ok;
}
