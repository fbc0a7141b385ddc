// SPDX-License-Identifier: Apache-2.0

import { isWaiting } from '../../client/approvals.ts';
import type { PendingRow } from '../../client.ts';
import { shortId } from './by-id.ts';
import { flow, listed } from './flow.ts';
import type { Line, Style } from './screen.ts';
import { span } from './span.ts';

const STYLE: Readonly<Record<string, Style>> = {
  pending: 'yellow',
  later: 'yellow',
  executing: 'yellow',
  executed: 'green',
  denied: 'red',
  expired: 'red',
  withdrawn: 'dim',
  void: 'dim',
  failed: 'red',
  unknown: 'yellow',
};
const INDENT = 10;

/** One row of the list in few lines: enough to know which it is, and not enough to decide. */
export function pendingLines(row: PendingRow, now: number, room: number): readonly Line[] {
  const { id, state, since, expires_at, capability, version, risk, decided_by } = row;
  const style = STYLE[state];
  const shown = state.padEnd(9);
  const age = isWaiting(row)
    ? `for ${span(now - since)}, ends in ${span(expires_at - now)}`
    : `asked ${span(now - since)} ago`;
  const details = [
    `${row.kind === 'undo' ? 'to take back ' : ''}${capability} ${version}`,
    `for ${row.principal}`,
    row.targets === undefined ? '' : targetWords(row.targets),
    decided_by === undefined ? '' : `decided by ${decided_by}`,
    row.earlier.length === 0 ? '' : `decided ${times(row.earlier.length)} before`,
  ];
  const pieces = listed(details.filter((piece) => piece !== ''));
  const [first = '', ...others] = flow(pieces, { room, taken: INDENT, indent: INDENT });
  return [
    [`${shortId(id)}  `, style === undefined ? shown : { text: shown, style }, `  ${risk} risk, ${age}`],
    ' '.repeat(INDENT) + first,
    ...others,
  ];
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

/** Texts arrive escaped; a longer list says how long it is. */
function targetWords(targets: readonly string[]): string {
  const [first, ...others] = targets;
  if (first === undefined) return 'on a target that is not determined';
  return `on "${first.replaceAll('"', '\\"')}"${others.length === 0 ? '' : ` and ${others.length} more`}`;
}
