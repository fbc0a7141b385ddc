// SPDX-License-Identifier: Apache-2.0
import { asCaller } from '../bus.ts';
import type { Invocation } from '../command.ts';
import type { ExitCode } from '../exit.ts';
import { parameterHints, wantsHints } from '../parameter-hints.ts';
import { parametersIn } from '../parameters.ts';
import { waitForOutcome } from '../wait.ts';

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { operand, options, screen, env } = invocation;
  const parameters = parametersIn(options);
  const meant = { version: options.text('version'), reason: options.text('reason') };
  return await asCaller(env, async (broker) => {
    let misfit = false;
    const exit = await waitForOutcome(invocation, async (request) => {
      const outcome = await broker.dispatch(operand, parameters, { ...meant, ...request });
      misfit = wantsHints(outcome);
      return outcome;
    });
    if (misfit) for (const line of await parameterHints(broker, operand, parameters)) screen.note(line);
    return exit;
  });
}
