// SPDX-License-Identifier: Apache-2.0

import { type Approvals, isWaiting } from '../../client/approvals.ts';
import type { PendingRow } from '../../client.ts';
import { byId } from './by-id.ts';
import { draw } from './confirm/draw.ts';
import type { Row } from './confirm/row.ts';
import { earlierWords } from './earlier.ts';
import { CliError } from './error.ts';
import type { Screen } from './screen.ts';

/** A row of the list that can still be decided, so that all of it is there. */
export type WaitingRow = PendingRow &
  Required<Pick<PendingRow, 'targets' | 'params' | 'reason' | 'evidence'>>;

const WHERE = { what: 'question', list: 'portalctl approvals list' } as const;

/** The question that `id`, or the beginning of one, names. Throws `NotFound`, and `Refused` where it is over. */
export async function waitingRow(approvals: Approvals, id: string): Promise<WaitingRow> {
  const row = byId(await approvals.list({ ended: true }), id, WHERE);
  if (isWaiting(row) && isWhole(row)) return row;
  throw new CliError(
    'Refused',
    `\`${row.id}\` is decided already: it is ${row.state}`,
    `see \`${WHERE.list}\``,
  );
}

function isWhole(row: PendingRow): row is WaitingRow {
  const { targets, params, reason, evidence } = row;
  return [targets, params, reason, evidence].every((field) => field !== undefined);
}

/** Shows all of a question on standard error: every parameter, every word, nothing cut. */
export function showQuestion(row: WaitingRow, screen: Screen, changedParams?: string): void {
  const { lines } = draw(rowOf(row, changedParams), {
    columns: screen.columns,
    assurance: row.assurance,
    position: 1,
    of: 1,
    limits: undefined,
  });
  for (const line of lines) screen.note(line);
}

function rowOf(row: WaitingRow, changedParams: string | undefined): Row {
  return {
    digest: row.digest,
    kind: row.kind === 'undo' ? 'undo' : 'invoke',
    capability: row.capability,
    version: row.version,
    title: row.title,
    appId: row.app_id,
    providerBinding: row.binding,
    principal: row.principal,
    principalBinding: row.principal_binding,
    risk: row.risk,
    sideEffects: row.side_effects,
    targets: row.targets,
    params: changedParams ?? row.params,
    ...(changedParams !== undefined && { changed: true }),
    reason: row.reason,
    evidence: row.evidence,
    intention: row.intention ?? '',
    undo: row.undo,
    choices: row.choices,
    ownTick: false, // it stands alone
    problem: '',
    earlier: earlierWords(row.earlier, Date.now()),
  };
}
