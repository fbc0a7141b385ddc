// SPDX-License-Identifier: Apache-2.0
import { asCaller } from '../bus.ts';
import type { Invocation } from '../command.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { explanationLines } from '../explanation-lines.ts';
import { parameterHints, wantsHints } from '../parameter-hints.ts';
import { parametersIn } from '../parameters.ts';

export async function run({ operand, options, screen, env }: Invocation): Promise<ExitCode> {
  const parameters = parametersIn(options);
  const asked = asCaller(env, async (broker) => {
    const found = await broker.explain(operand, parameters, { version: options.text('version') });
    return { found, hints: wantsHints(found) ? await parameterHints(broker, operand, parameters) : [] };
  });
  const { found, hints } = await screen.while('the broker has not answered yet', asked);
  screen.result(found, () => [...explanationLines(found, screen.columns), ...hints]);
  return found.effect === 'deny' ? EXIT.refused : EXIT.ok;
}
