// SPDX-License-Identifier: Apache-2.0
import { asOperator } from '../bus.ts';
import { byId } from '../by-id.ts';
import type { Invocation } from '../command.ts';
import { CliError } from '../error.ts';
import { EXIT, type ExitCode } from '../exit.ts';

export async function run({ operand, screen, env }: Invocation): Promise<ExitCode> {
  const removing = asOperator(env, async ({ policy }) => {
    const { rules } = await policy.rules();
    const rule = byId(rules, operand, { what: 'rule', list: 'portalctl policy list' });
    if (rule.source !== 'person') {
      throw new CliError(
        'Refused',
        `\`${rule.id}\` is in a file`,
        'change the file; the broker reads it again',
      );
    }
    await policy.remove(rule.id);
    return rule;
  });
  const { id, effect } = await screen.while('waiting for you to authenticate', removing);
  screen.result({ id, removed: true }, () => [`removed  ${id}, which was ${effect}`]);
  return EXIT.ok;
}
