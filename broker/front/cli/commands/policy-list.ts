// SPDX-License-Identifier: Apache-2.0
import type { PolicyInForce, RuleFile } from '../../../client.ts';
import { asOperator } from '../bus.ts';
import type { Invocation } from '../command.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { ruleLines } from '../rule-lines.ts';
import type { Line } from '../screen.ts';

export async function run({ screen, env }: Invocation): Promise<ExitCode> {
  const asked = asOperator(env, (operator) => operator.policy.rules());
  const policy = await screen.while('the broker has not answered yet', asked);
  screen.result(policy, () => lines(policy, screen.columns));
  return EXIT.ok;
}

const SOURCES = [
  ['root', "the administrator's"],
  ['user', "the user's files, which only tighten"],
  ['person', "the person's"],
] as const;

function lines({ rules, locked, files }: PolicyInForce, room: number): readonly Line[] {
  if (rules.length + locked.length + files.length === 0) {
    return ['there are no rules: what is read runs, and everything else asks'];
  }
  return [
    ...SOURCES.flatMap(([source, heading]) => {
      const own = rules.filter((rule) => rule.source === source);
      if (own.length === 0) return [];
      return [bold(heading), ...own.flatMap((rule) => ruleLines(rule, room))];
    }),
    ...(locked.length === 0 ? [] : [bold('locked'), ...locked.map((id) => `  ${id}`)]),
    ...(files.length === 0 ? [] : [bold('files'), ...files.flatMap(fileLines)]),
  ];
}

function fileLines({ path, rules, refused }: RuleFile): readonly Line[] {
  if (refused === undefined) return [`  ${path}: ${rules} ${rules === 1 ? 'rule' : 'rules'}`];
  const { line, at, reason } = refused;
  const place = line === undefined ? '' : `line ${line}${at === '' ? '' : ` (${at})`}: `;
  return [
    [{ text: '  refused', style: 'red' }, `: ${path}`],
    `    ${place}${reason}`,
    `    what was read before still holds: ${rules} ${rules === 1 ? 'rule' : 'rules'}`,
  ];
}

function bold(text: string): Line {
  return [{ text, style: 'bold' }];
}
