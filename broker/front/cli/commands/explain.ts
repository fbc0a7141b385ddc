// SPDX-License-Identifier: Apache-2.0
import type { Explanation } from '../../../client.ts';
import { asCaller } from '../bus.ts';
import type { Invocation } from '../command.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { parametersIn } from '../parameters.ts';
import type { Line } from '../screen.ts';
import { wordsForGate } from '../words.ts';

export async function run({ operand, options, screen, env }: Invocation): Promise<ExitCode> {
  const parameters = parametersIn(options);
  const asked = asCaller(env, (broker) =>
    broker.explain(operand, parameters, { version: options.text('version') }),
  );
  const explanation = await screen.while('the broker has not answered yet', asked);
  screen.result(explanation, () => lines(explanation));
  return explanation.effect === 'deny' ? EXIT.refused : EXIT.ok;
}

function lines({
  effect,
  stage,
  code,
  message,
  gate,
  risk,
  undo_window_ms: undo,
}: Explanation): readonly Line[] {
  if (effect === 'deny')
    return [[{ text: 'would be denied', style: 'red' }, ` at stage ${stage}: ${code}`], `  ${message}`];
  return [
    effect === 'ask' ? 'a person would be asked' : 'would run at once',
    `  ${risk} risk, ${wordsForGate(gate ?? '')}`,
    undo === undefined ? '  cannot be undone' : `  can be undone for ${undo / 1000} s`,
  ];
}
