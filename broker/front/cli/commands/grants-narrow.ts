// SPDX-License-Identifier: Apache-2.0
import { asOperator } from '../bus.ts';
import { byId } from '../by-id.ts';
import type { Invocation } from '../command.ts';
import { CliError } from '../error.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { boundsIn } from '../grant-options.ts';

export async function run({ operand, options, screen, env }: Invocation): Promise<ExitCode> {
  const bounds = boundsIn(options);
  if (Object.keys(bounds).length === 0) {
    throw new CliError(
      'BadOption',
      'nothing says how it is to be narrower',
      'add for example `--operations=1`',
    );
  }
  const { id } = await asOperator(env, async ({ grants }) => {
    const grant = byId(await grants.list(), operand, { what: 'grant', list: 'portalctl grants list' });
    await grants.narrow(grant.id, bounds);
    return grant;
  });
  screen.result({ id, narrowed: true }, () => [`narrower  ${id}`]);
  return EXIT.ok;
}
