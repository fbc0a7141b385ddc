// SPDX-License-Identifier: Apache-2.0
import { asCaller } from '../bus.ts';
import type { Invocation } from '../command.ts';
import type { ExitCode } from '../exit.ts';
import { parametersIn } from '../parameters.ts';
import { waitForOutcome } from '../wait.ts';

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { operand, options, env } = invocation;
  const parameters = parametersIn(options);
  const meant = { version: options.text('version'), reason: options.text('reason') };
  return await asCaller(env, (broker) =>
    waitForOutcome(invocation, (request) => broker.dispatch(operand, parameters, { ...meant, ...request })),
  );
}
