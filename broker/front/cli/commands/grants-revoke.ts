// SPDX-License-Identifier: Apache-2.0
import { asOperator } from '../bus.ts';
import { byId } from '../by-id.ts';
import type { Invocation } from '../command.ts';
import { EXIT, type ExitCode } from '../exit.ts';

export async function run({ operand, screen, env }: Invocation): Promise<ExitCode> {
  const { id, capability } = await asOperator(env, async ({ grants }) => {
    const grant = byId(await grants.list(), operand, { what: 'grant', list: 'portalctl grants list' });
    await grants.revoke(grant.id);
    return grant;
  });
  screen.result({ id, revoked: true }, () => [
    `revoked  ${id}`,
    `  ${capability}: what runs under it already is not stopped`,
  ]);
  return EXIT.ok;
}
