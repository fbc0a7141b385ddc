// SPDX-License-Identifier: Apache-2.0
import type { NewRule } from '../../../client.ts';
import { asOperator } from '../bus.ts';
import type { Invocation, Options } from '../command.ts';
import { CliError } from '../error.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { findingLines } from '../findings.ts';
import { asObject, readJsonFile } from '../json-file.ts';
import { oneOf, requiredText } from '../option-values.ts';

export async function run({ operand, options, screen, env }: Invocation): Promise<ExitCode> {
  const rule = operand === '' ? ruleIn(options) : ruleInFile(operand, options);
  const adding = asOperator(env, (operator) => operator.policy.add(rule));
  const made = await screen.while('waiting for you to authenticate', adding);
  screen.result(made, () => [
    [{ text: 'added', style: 'green' }, `  ${made.id}`],
    ...findingLines(made.findings, screen.columns),
  ]);
  return EXIT.ok;
}

const FIELDS = ['scope', 'capability', 'app', 'target', 'action', 'effect', 'hours', 'reason'] as const;

/** One rule as JSON. Whether it is one is for the broker to say, which names the place where it is not. */
function ruleInFile(path: string, options: Options): NewRule {
  const given = FIELDS.find((name) => options.text(name) !== undefined);
  if (given !== undefined) {
    throw new CliError('BadOption', `a file and \`--${given}\` exclude each other`, 'say it in one way');
  }
  const value = asObject(readJsonFile(path));
  if (value === undefined) throw new CliError('BadOperand', `\`${path}\` holds no rule`, 'write one object');
  // The parse boundary is the broker's: it takes nothing for a rule that is none.
  return value as unknown as NewRule;
}

function ruleIn(options: Options): NewRule {
  return {
    scope: options.text('scope'),
    capability: options.text('capability'),
    app: options.text('app'),
    target: options.text('target'),
    action: oneOf(options, 'action', ['read', 'write', 'destructive', 'external', 'system']),
    effect: effectIn(options),
    hours: hoursIn(options),
    reason: requiredText(options, 'reason'),
  };
}

function effectIn(options: Options): string {
  const effect = requiredText(options, 'effect').toUpperCase();
  if (['ALLOW', 'ASK', 'DENY'].includes(effect)) return effect;
  throw new CliError('BadOption', `\`--effect\` cannot be \`${effect}\``, 'name one of ALLOW, ASK, DENY');
}

function hoursIn(options: Options): NewRule['hours'] {
  const text = options.text('hours');
  if (text === undefined) return undefined;
  const [, from, to] = /^(\d{1,2})-(\d{1,2})$/.exec(text) ?? [];
  if (from !== undefined && to !== undefined && Number(from) < 24 && Number(to) < 24) {
    return { from: Number(from), to: Number(to) };
  }
  throw new CliError(
    'BadOption',
    `\`--hours\` cannot be \`${text}\``,
    'write FROM-TO in hours from 0 to 23, such as 22-6: from 22:00 until 6:00',
  );
}
