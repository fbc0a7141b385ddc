// SPDX-License-Identifier: Apache-2.0
import type { CapabilityRequestRow, GrantBounds } from '../../../client.ts';
import { asOperator } from '../bus.ts';
import { byId } from '../by-id.ts';
import type { Invocation } from '../command.ts';
import { Consent } from '../consent.ts';
import { CliError } from '../error.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { findingLines } from '../findings.ts';
import { boundWords } from '../grant-lines.ts';
import { boundsIn } from '../grant-options.ts';
import { requestLines } from '../request-lines.ts';
import { span } from '../span.ts';

const READ_IT = 'read it with `portalctl requests list`, then add `--yes` and the whole id';

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { operand, options, screen } = invocation;
  if (options.on('yes')) {
    return await grantRequest(invocation, (found) => {
      if (found.id !== operand) {
        throw new CliError('BadOperand', '`--yes` needs the whole id', `it is \`${found.id}\``);
      }
      return Promise.resolve(true);
    });
  }
  const consent = new Consent(screen, READ_IT);
  try {
    return await grantRequest(invocation, async (_found, deed) => {
      const yes = await consent.ask(deed);
      consent.close(); // Ctrl-C ends the command again
      return yes;
    });
  } finally {
    consent.close();
  }
}

/** Shows the request and grants it where `agreed` says so. */
async function grantRequest(
  { operand, options, screen, env }: Invocation,
  agreed: (found: CapabilityRequestRow, deed: string) => Promise<boolean>,
): Promise<ExitCode> {
  const narrower = boundsIn(options);
  return await asOperator(env, async ({ grants }) => {
    const where = { what: 'request', list: 'portalctl requests list' };
    const found = byId(await grants.requests(), operand, where);
    for (const line of requestLines(found, Date.now(), screen.columns)) screen.note(line);
    if (!(await agreed(found, `grant it ${wordsFor({ ...found, ...narrower }, found)}`))) {
      screen.note('Not granted: it still waits.');
      if (screen.json) screen.jsonLine({ id: found.id, granted: false });
      return EXIT.pending;
    }
    const granting = grants.grantRequest(found.id, narrower);
    const made = await screen.while('waiting for you to authenticate', granting);
    screen.result(made, () => [
      [{ text: 'granted', style: 'green' }, `  ${made.id}`],
      ...findingLines(made.findings, screen.columns),
    ]);
    return EXIT.ok;
  });
}

function wordsFor(bounds: GrantBounds, asked: CapabilityRequestRow): string {
  const { operations = asked.operations, minutes = asked.minutes } = bounds;
  return `${boundWords(bounds).join(', ')}, ${operations} times, for ${span(minutes * 60_000)}`;
}
