// SPDX-License-Identifier: Apache-2.0
import type { ApproveOptions } from '../../client.ts';
import { asOperator } from './bus.ts';
import type { Invocation } from './command.ts';
import { consent, requireTerminal } from './consent.ts';
import { CliError } from './error.ts';
import { EXIT, type ExitCode } from './exit.ts';
import { showQuestion, type WaitingRow, waitingRow } from './pending-row.ts';
import type { Screen } from './screen.ts';

/**
 * Approves what waits: shows all of it and asks at the terminal, or takes the digest that `--digest` names for what was read
 * before. What is on the screen and what is approved are the same row: it is bound by its digest.
 *
 * @param how how it is to be approved, found out once the row is known
 */
export async function approveRow(
  { operand, options, screen, env }: Invocation,
  how: (row: WaitingRow) => Promise<ApproveOptions>,
): Promise<ExitCode> {
  const digest = options.text('digest');
  if (digest === undefined) {
    requireTerminal('read it with `portalctl approvals show ID`, then name its digest with `--digest`');
  }
  return await asOperator(env, async (operator) => {
    const row = await waitingRow(operator, operand);
    if (digest !== undefined && digest !== row.digest) {
      throw new CliError(
        'Refused',
        `\`${row.id}\` is not what \`--digest\` names`,
        'read it again with `portalctl approvals show ID`',
      );
    }
    const given = await how(row);
    refuseWithoutEffect(row, given);
    showQuestion(row, screen, given.params);
    if (digest === undefined && !(await consent(screen, deed(given)))) return undecided(row, screen);
    const approving = operator.approvals.approve(row.id, row.digest, given);
    await screen.while('waiting for you to authenticate', approving);
    screen.result({ id: row.id, invocation: row.invocation, approved: true }, () => [
      [{ text: 'approved', style: 'green' }, `  ${row.capability} runs now`],
      '  how it ends: portalctl approvals list --ended',
    ]);
    return EXIT.ok;
  });
}

function refuseWithoutEffect({ choices }: WaitingRow, { choice, params }: ApproveOptions): void {
  const wanted = params === undefined ? (choice ?? 'once') : 'modified';
  if (choices.includes(wanted)) return;
  const remedy =
    wanted === 'session' ? 'approve it once, without `--session`' : 'deny it, or decide it later';
  throw new CliError('Refused', `it cannot be approved like that: \`${wanted}\` has no effect here`, remedy);
}

function deed({ choice, minutes, params }: ApproveOptions): string {
  if (params !== undefined) return 'let it run as you changed it, once';
  if (choice !== 'session') return 'let it run, once';
  return `let it run, and the same on this target for ${minutes ?? 60} minutes`;
}

function undecided({ id, invocation }: WaitingRow, screen: Screen): ExitCode {
  screen.note('Not approved: it still waits.');
  if (screen.json) screen.jsonLine({ id, invocation, approved: false });
  return EXIT.pending;
}
