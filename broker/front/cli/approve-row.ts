// SPDX-License-Identifier: Apache-2.0
import type { ApproveOptions } from '../../client.ts';
import { asOperator } from './bus.ts';
import type { Invocation } from './command.ts';
import { Consent } from './consent.ts';
import { CliError } from './error.ts';
import { EXIT, type ExitCode } from './exit.ts';
import { showQuestion, type WaitingRow, waitingRow } from './pending-row.ts';
import type { Screen } from './screen.ts';

const READ_IT = 'read it with `portalctl approvals show ID`, then name its digest with `--digest`';

/** Runs something that needs the terminal for itself. */
export type Lend = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Approves what waits: shows all of it and asks at the terminal, or takes the digest that `--digest` names for what was read
 * before. What is on the screen and what is approved are the same row: it is bound by its digest.
 *
 * @param how how it is to be approved, found out once the row is known
 */
export async function approveRow(
  invocation: Invocation,
  how: (row: WaitingRow, lend: Lend) => Promise<ApproveOptions>,
): Promise<ExitCode> {
  const { options, screen } = invocation;
  const digest = options.text('digest');
  if (digest !== undefined) return await approveRead(invocation, digest, how);
  const consent = new Consent(screen, READ_IT);
  try {
    return await approveAsked(invocation, consent, how);
  } finally {
    consent.close();
  }
}

async function approveRead(
  { operand, screen, env }: Invocation,
  digest: string,
  how: (row: WaitingRow, lend: Lend) => Promise<ApproveOptions>,
): Promise<ExitCode> {
  return await asOperator(env, async ({ approvals }) => {
    const row = await waitingRow(approvals, operand);
    if (digest !== row.digest) {
      throw new CliError('Refused', `\`${row.id}\` is not what \`--digest\` names`, READ_IT);
    }
    const given = await how(row, (work) => work());
    refuseWithoutEffect(row, given);
    showQuestion(row, screen, given.params);
    await screen.while('waiting for you to authenticate', approvals.approve(row.id, digest, given));
    return approved(row, screen);
  });
}

async function approveAsked(
  { operand, screen, env }: Invocation,
  consent: Consent,
  how: (row: WaitingRow, lend: Lend) => Promise<ApproveOptions>,
): Promise<ExitCode> {
  return await asOperator(env, async ({ approvals }) => {
    const found = consent.unlessInterrupted(waitingRow(approvals, operand));
    const row = await screen.while('the broker has not answered yet', found);
    const given = await how(row, (work) => consent.lend(work));
    refuseWithoutEffect(row, given);
    showQuestion(row, screen, given.params);
    if (!(await consent.ask(deed(given)))) return undecided(row, screen);
    consent.close(); // Ctrl-C ends the command again
    await screen.while('waiting for you to authenticate', approvals.approve(row.id, row.digest, given));
    return approved(row, screen);
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

function approved({ id, invocation, capability }: WaitingRow, screen: Screen): ExitCode {
  screen.result({ id, invocation, approved: true }, () => [
    [{ text: 'approved', style: 'green' }, `  ${capability} runs now`],
    '  how it ends: portalctl approvals list --ended',
  ]);
  return EXIT.ok;
}

function undecided({ id, invocation }: WaitingRow, screen: Screen): ExitCode {
  screen.note('Not approved: it still waits.');
  if (screen.json) screen.jsonLine({ id, invocation, approved: false });
  return EXIT.pending;
}
