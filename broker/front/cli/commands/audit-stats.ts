// SPDX-License-Identifier: Apache-2.0
import { type AuditRecord, auditRecords } from '../audit-source.ts';
import type { Invocation } from '../command.ts';
import { visible } from '../escape.ts';
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
    ...lines('', HEADINGS),
    ...lines('all requests', counts(stats.total)),
    ...Object.entries(stats.by_principal).flatMap(([who, own]) => lines(who, counts(own))),
    ...Object.entries(stats.by_capability).flatMap(([what, own]) => lines(what, counts(own))),
  ]);
  return EXIT.ok;
}

const KINDS = ['ended', 'executed', 'denied', 'expired', 'failed', 'unknown', 'ill_formed'] as const;
const HEADINGS = KINDS.map((kind) => kind.replace('_', '-'));
/** What the numbers leave of a line of 80 columns; a longer name has a line of its own. */
const LABEL = 16;

function counts(tally: Tally): readonly string[] {
  return KINDS.map((kind) => String(tally[kind]));
}

function lines(label: string, cells: readonly string[]): readonly string[] {
  const numbers = cells.map((cell, index) => cell.padStart(HEADINGS[index]?.length ?? 0)).join('  ');
  const shown = visible(label);
  if (shown.length <= LABEL) return [`${shown.padEnd(LABEL)} ${numbers}`];
  return [shown, `${' '.repeat(LABEL)} ${numbers}`];
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
