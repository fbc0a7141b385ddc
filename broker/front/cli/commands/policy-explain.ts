// SPDX-License-Identifier: Apache-2.0
import type { PolicyExplanation } from '../../../client.ts';
import { asOperator } from '../bus.ts';
import { columns } from '../columns.ts';
import type { Invocation } from '../command.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { explanationLines } from '../explanation-lines.ts';
import { flow, listed } from '../flow.ts';
import { requiredText } from '../option-values.ts';
import { parametersIn } from '../parameters.ts';
import type { Line } from '../screen.ts';

export async function run({ operand, options, screen, env }: Invocation): Promise<ExitCode> {
  const principal = requiredText(options, 'as');
  const parameters = parametersIn(options);
  const version = options.text('version');
  const asked = asOperator(env, ({ policy }) => policy.explain(principal, operand, parameters, { version }));
  const explanation = await screen.while('the broker has not answered yet', asked);
  screen.result(explanation, () => [
    ...explanationLines(explanation, screen.columns),
    ...(explanation.stage === 'resolve' ? [UNKNOWN] : []),
    ...reasons(explanation, screen.columns),
    ...stages(explanation, screen.columns),
  ]);
  return explanation.effect === 'deny' ? EXIT.refused : EXIT.ok;
}

/** Whoever is not there is not told from what is not there. */
const UNKNOWN = '  also so where nobody is connected as that: see `portalctl policy matrix`';

const CHANGES: ReadonlyMap<string, string> = new Map([
  ['unlock', 'unlock the capability'],
  ['resume', 'resume the principal'],
  ['unlock-session', 'unlock the session'],
  ['root-rule', "change the administrator's rule"],
  ['more-specific-allow', 'an ALLOW that is more specific'],
  ['grant', 'a grant'],
  ['answer', "the person's answer"],
  ['bind-provider', 'an app that is known to be what it says'],
  ['sign-provider', 'an app with a signed manifest'],
  ['enable-external', 'the administrator lets it reach out'],
  ['nothing', 'nothing'],
]);

function reasons(explanation: PolicyExplanation, room: number): readonly Line[] {
  const { decider, rule, specificity, considered = [], grant, targets, would_change: changes } = explanation;
  const rows: readonly (readonly [label: string, pieces: readonly string[]])[] = [
    ['decided by', decider === undefined ? [] : [decider]],
    ['rule', rule === undefined ? [] : [`${rule} `, `(specificity ${specificity ?? 0})`]],
    ['also matched', listed(considered.filter((id) => id !== rule))],
    ['grant', grant === undefined ? [] : [grant]],
    ['targets', listed(targets ?? [])],
    ['would change it', listed((changes ?? []).map((change) => CHANGES.get(change) ?? change))],
  ];
  return rows
    .filter(([, pieces]) => pieces.length > 0)
    .flatMap(([label, pieces]) => {
      const head = `  ${label}: `;
      const [first = '', ...others] = flow(pieces, { room, taken: head.length, indent: 6 });
      return [head + first, ...others];
    });
}

function stages({ stages: passed = [] }: PolicyExplanation, room: number): readonly Line[] {
  if (passed.length === 0) return [];
  return [
    '  stages:',
    ...columns(
      passed.map(({ stage, result }) => [`    ${stage}`, result]),
      room,
    ),
  ];
}
