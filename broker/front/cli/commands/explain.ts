// SPDX-License-Identifier: Apache-2.0
import { asCaller } from '../bus.ts';
import type { Invocation } from '../command.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { explanationLines } from '../explanation-lines.ts';
import { parametersIn } from '../parameters.ts';

export async function run({ operand, options, screen, env }: Invocation): Promise<ExitCode> {
  const parameters = parametersIn(options);
  const asked = asCaller(env, (broker) =>
    broker.explain(operand, parameters, { version: options.text('version') }),
  );
  const explanation = await screen.while('the broker has not answered yet', asked);
  screen.result(explanation, () => explanationLines(explanation));
  return explanation.effect === 'deny' ? EXIT.refused : EXIT.ok;
}
