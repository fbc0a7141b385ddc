// SPDX-License-Identifier: Apache-2.0
import { asOperator } from '../bus.ts';
import { byId } from '../by-id.ts';
import type { Invocation } from '../command.ts';
import { EXIT, type ExitCode } from '../exit.ts';

export async function run({ operand, options, screen, env }: Invocation): Promise<ExitCode> {
  const { id, capability } = await asOperator(env, async ({ grants }) => {
    const where = { what: 'request', list: 'portalctl requests list' };
    const request = byId(await grants.requests(), operand, where);
    await grants.denyRequest(request.id, options.text('note'));
    return request;
  });
  screen.result({ id, denied: true }, () => [`denied  ${capability}`]);
  return EXIT.ok;
}
