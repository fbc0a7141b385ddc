// SPDX-License-Identifier: Apache-2.0
import { asOperator } from '../bus.ts';
import { byId } from '../by-id.ts';
import type { Invocation } from '../command.ts';
import { consent, requireTerminal } from '../consent.ts';
import { CliError } from '../error.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { findingLines } from '../findings.ts';
import { boundWords } from '../grant-lines.ts';
import { boundsIn } from '../grant-options.ts';
import { requestLines } from '../request-lines.ts';
import { span } from '../span.ts';

export async function run({ operand, options, screen, env }: Invocation): Promise<ExitCode> {
  const narrower = boundsIn(options);
  const asks = !options.on('yes');
  if (asks) requireTerminal('read it with `portalctl requests list`, then add `--yes` and the whole id');
  return await asOperator(env, async ({ grants }) => {
    const where = { what: 'request', list: 'portalctl requests list' };
    const found = byId(await grants.requests(), operand, where);
    if (!asks && found.id !== operand) {
      throw new CliError('BadOperand', '`--yes` needs the whole id', `it is \`${found.id}\``);
    }
    const bounds = { ...found, ...narrower };
    const { operations = found.operations, minutes = found.minutes } = narrower;
    for (const line of requestLines(found, Date.now(), screen.columns)) screen.note(line);
    const granted = `${boundWords(bounds).join(', ')}, ${operations} times, for ${span(minutes * 60_000)}`;
    if (asks && !(await consent(screen, `grant it ${granted}`))) {
      screen.note('Not granted: it still waits.');
      if (screen.json) screen.jsonLine({ id: found.id, granted: false });
      return EXIT.pending;
    }
    const granting = grants.grantRequest(found.id, narrower);
    const made = await screen.while('waiting for you to authenticate', granting);
    screen.result(made, () => [
      [{ text: 'granted', style: 'green' }, `  ${made.id}`],
      ...findingLines(made.findings),
    ]);
    return EXIT.ok;
  });
}
