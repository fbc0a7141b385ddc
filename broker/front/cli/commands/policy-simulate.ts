// SPDX-License-Identifier: Apache-2.0
import type { SimulateRange, Simulation } from '../../../client.ts';
import { asOperator } from '../bus.ts';
import { columns } from '../columns.ts';
import type { Invocation, Options } from '../command.ts';
import { CliError } from '../error.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { asObject, readJsonFile } from '../json-file.ts';
import { wholeNumber } from '../option-values.ts';
import type { Line } from '../screen.ts';

export async function run({ operand, options, screen, env }: Invocation): Promise<ExitCode> {
  const rules = rulesIn(operand);
  const range = rangeIn(options);
  const asked = asOperator(env, (operator) => operator.policy.simulate(rules, range));
  const report = await screen.while('still deciding again what was recorded', asked);
  screen.result(report, () => lines(report, screen.columns));
  return EXIT.ok;
}

/** A policy file, or a list of rules alone. */
function rulesIn(path: string): readonly unknown[] {
  const value = readJsonFile(path);
  const rules = Array.isArray(value) ? value : asObject(value)?.rules;
  if (Array.isArray(rules)) return rules;
  throw new CliError('BadOperand', `\`${path}\` holds no list of rules`, 'write `{"rules": [...]}`');
}

function rangeIn(options: Options): SimulateRange {
  return {
    since: instant(options, 'since'),
    until: instant(options, 'until'),
    limit: wholeNumber(options, 'limit', { least: 1, most: 1000 }),
  };
}

function instant(options: Options, name: string): number | undefined {
  const text = options.text(name);
  if (text === undefined) return undefined;
  const time = Date.parse(text);
  if (!Number.isNaN(time) && time >= 0) return time;
  throw new CliError(
    'BadOption',
    `\`--${name}\` cannot be \`${text}\``,
    'write for example 2026-12-01T08:00',
  );
}

function lines(report: Simulation, room: number): readonly Line[] {
  const { decisions, same, flips, depends, examples } = report;
  return [
    `${decisions} recorded decisions: ${same} the same, ${flips} other, ${depends} depend on the target`,
    ...columns(
      examples.map(({ audit_id, before, after, verdict, principal, capability }) => [
        audit_id.padStart(6),
        verdict,
        `${before} -> ${after}`,
        `${capability} for ${principal}`,
      ]),
      room,
    ),
  ];
}
