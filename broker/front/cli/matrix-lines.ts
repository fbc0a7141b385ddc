// SPDX-License-Identifier: Apache-2.0
import type { MatrixRow } from '../../client.ts';
import { columns } from './columns.ts';
import { flow, listed } from './flow.ts';
import { shownRuleId } from './rule-lines.ts';
import type { Line } from './screen.ts';

/** For each principal what it may do, a line for each capability; those that may do the same stand together. */
export function matrixLines(rows: readonly MatrixRow[], room: number): readonly Line[] {
  if (rows.length === 0) return ['nobody is known, or nothing is available'];
  const tables = [...Map.groupBy(rows, ({ principal }) => principal)].map(([principal, own]) => ({
    principal,
    lines: columns(own.map(cells), room),
  }));
  return [...Map.groupBy(tables, ({ lines }) => lines.join('\n')).values()].flatMap((same) => [
    ...flow(listed(same.map(({ principal }) => principal)), { room, taken: 0, indent: 0 }).map(
      (text) => [{ text, style: 'bold' }] as const,
    ),
    ...(same[0]?.lines ?? []),
  ]);
}

function cells(row: MatrixRow): readonly string[] {
  return [
    `  ${row.capability}`,
    effectWords(row),
    row.rule === undefined ? '' : `by ${shownRuleId(row.rule)}`,
  ];
}

/** What would come of it, for a person. */
function effectWords({ effect, gate, depends_on_target, possible }: MatrixRow): string {
  if (!depends_on_target) return wordsForEffect(effect, gate);
  return `${possible.map((one) => wordsForEffect(one, gate)).join(' or ')}, by the target`;
}

/** An effect together with the gate in front of it. */
export function wordsForEffect(effect: string, gate: string): string {
  if (effect === 'allow') return 'runs';
  if (effect === 'deny') return 'denied';
  return gate === 'confirm' ? 'confirms each time' : 'asks';
}
