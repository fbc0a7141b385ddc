// SPDX-License-Identifier: Apache-2.0
import type { NewGrant } from '../../../client.ts';
import { asOperator } from '../bus.ts';
import type { Invocation, Options } from '../command.ts';
import { CliError } from '../error.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { findingLines } from '../findings.ts';
import { boundsIn, MINUTES, OPERATIONS } from '../grant-options.ts';
import { requiredNumber, requiredText } from '../option-values.ts';

export async function run({ options, screen, env }: Invocation): Promise<ExitCode> {
  const grant = grantIn(options);
  const adding = asOperator(env, (operator) => operator.grants.add(grant));
  const made = await screen.while('waiting for you to authenticate', adding);
  screen.result(made, () => [
    [{ text: 'granted', style: 'green' }, `  ${made.id}`],
    ...findingLines(made.findings, screen.columns),
  ]);
  return EXIT.ok;
}

function grantIn(options: Options): NewGrant {
  const { access, ...bounds } = boundsIn(options);
  if (access === undefined) {
    throw new CliError('BadOption', '`--access` is missing', 'add `--access=read` or `--access=write`');
  }
  return {
    principal: requiredText(options, 'principal'),
    capability: requiredText(options, 'capability'),
    ...bounds,
    access,
    minutes: requiredNumber(options, 'minutes', MINUTES),
    operations: requiredNumber(options, 'operations', OPERATIONS),
    reason: requiredText(options, 'reason'),
  };
}
