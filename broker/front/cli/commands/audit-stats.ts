// SPDX-License-Identifier: Apache-2.0
import { type AuditRecord, auditRecords } from '../audit-source.ts';
import { columns } from '../columns.ts';
import type { Invocation } from '../command.ts';
import { EXIT, type ExitCode } from '../exit.ts';

/** The records that end a request. */
const ENDS: ReadonlySet<unknown> = new Set(['executed', 'failed', 'unknown', 'denied', 'expired']);

interface Tally {
  ended: number;
  executed: number;
  denied: number;
  expired: number;
  failed: number;
  unknown: number;
  /** Denied since what was named does not exist, or its parameters did not match: a call that was not well formed. */
  ill_formed: number;
}

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { screen } = invocation;
  const records = await screen.while('still reading the records', auditRecords(invocation));
  const ends = records.filter(({ type }) => ENDS.has(type));
  const stats = {
    records: records.length,
    total: tally(ends),
    by_principal: by('principal', ends),
    by_capability: by('capability', ends),
  };
  screen.result(stats, () => [
    ...columns(
      [
        HEADINGS,
        row('all requests', stats.total),
        ...Object.entries(stats.by_principal).map(([who, counts]) => row(who, counts)),
        ...Object.entries(stats.by_capability).map(([what, counts]) => row(what, counts)),
      ],
      screen.columns,
    ),
  ]);
  return EXIT.ok;
}

const KINDS = ['ended', 'executed', 'denied', 'expired', 'failed', 'unknown', 'ill_formed'] as const;
const HEADINGS = ['', ...KINDS.map((kind) => kind.replace('_', '-'))];

function row(label: string, counts: Tally): readonly string[] {
  return [label, ...KINDS.map((kind) => String(counts[kind]))];
}

/** What is counted under no name: calls before anybody was known, and calls of what does not exist. */
const WITHOUT = { principal: 'nobody known', capability: 'none that exists' } as const;

function by(
  field: 'principal' | 'capability',
  records: readonly AuditRecord[],
): Readonly<Record<string, Tally>> {
  const groups = Map.groupBy(records, (record) => String(record[field] ?? WITHOUT[field]));
  const tallies = [...groups].map(([value, group]) => [value, tally(group)] as const);
  return Object.fromEntries(tallies.sort(([, a], [, b]) => b.ended - a.ended));
}

function tally(records: readonly AuditRecord[]): Tally {
  const counts: Tally = {
    ended: 0,
    executed: 0,
    denied: 0,
    expired: 0,
    failed: 0,
    unknown: 0,
    ill_formed: 0,
  };
  for (const { type, stage, count } of records) {
    // Equal refusals are one record with a count.
    const weight = typeof count === 'number' ? count : 1;
    counts.ended += weight;
    if (isEnd(type)) counts[type] += weight;
    if (type === 'denied' && (stage === 'resolve' || stage === 'validate' || stage === 'call'))
      counts.ill_formed += weight;
  }
  return counts;
}

function isEnd(type: unknown): type is 'executed' | 'denied' | 'expired' | 'failed' | 'unknown' {
  return ENDS.has(type);
}
