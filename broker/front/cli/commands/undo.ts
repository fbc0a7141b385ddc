// SPDX-License-Identifier: Apache-2.0
import { asOperator } from '../bus.ts';
import type { Invocation } from '../command.ts';
import type { ExitCode } from '../exit.ts';
import { waitForOutcome } from '../wait.ts';

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { operand, env } = invocation;
  return await asOperator(env, (operator) =>
    waitForOutcome(invocation, (request) => operator.undo(operand, request)),
  );
}
