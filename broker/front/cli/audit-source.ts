// SPDX-License-Identifier: Apache-2.0
import { join, resolve } from 'node:path';
import type { AuditFilter } from '../../client.ts';
import { asOperator } from './bus.ts';
import type { Invocation, Options } from './command.ts';
import { CliError } from './error.ts';

/** One record: its number as `audit_id`, and its fields. */
export type AuditRecord = Readonly<Record<string, unknown>>;

/** Most records that the broker hands out at once; the files of its store have them all. */
const MOST_FROM_BROKER = 1000;

/** The files of the store that `--store` names. */
export function storeFiles(options: Options): { database: string; key: string } | undefined {
  const given = options.text('store');
  if (given === undefined) return undefined;
  const store = resolve(given);
  return { database: join(store, 'broker.db'), key: join(store, 'audit.key') };
}

/** What the filter options ask for. Throws `BadOption`. */
export function auditFilter(options: Options): AuditFilter {
  return {
    principal: options.text('principal'),
    invocation: options.text('invocation'),
    limit: limitIn(options),
  };
}

/** The records that match, oldest first: from the files of a store, else the newest that the running broker has. */
export async function auditRecords(
  { options, env, screen }: Invocation,
  filter: AuditFilter = auditFilter(options),
): Promise<readonly AuditRecord[]> {
  const files = storeFiles(options);
  if (files !== undefined) return await recordsIn(files.database, filter);
  const { limit = Number.POSITIVE_INFINITY } = filter;
  const asked = { ...filter, limit: Math.min(limit, MOST_FROM_BROKER) };
  const records = await asOperator(env, (operator) => operator.audit(asked));
  if (records.length === MOST_FROM_BROKER && limit > MOST_FROM_BROKER) {
    screen.note(
      `only the newest ${MOST_FROM_BROKER}: with \`--store\` all of them are read from the broker's files`,
    );
  }
  return records;
}

async function recordsIn(database: string, filter: AuditFilter): Promise<readonly AuditRecord[]> {
  const { exportLines } = await import('../../audit/export.ts');
  const records: AuditRecord[] = [];
  for (const line of exportLines(database)) {
    const { audit_id, event } = JSON.parse(line) as { audit_id: string; event: AuditRecord | null };
    const record = { audit_id, ...event };
    if (matches(record, filter)) records.push(record);
  }
  return filter.limit === undefined ? records : records.slice(-filter.limit);
}

function matches(record: AuditRecord, { principal, invocation }: AuditFilter): boolean {
  return (
    (principal === undefined || record.principal === principal) &&
    (invocation === undefined || record.invocation === invocation)
  );
}

function limitIn(options: Options): number | undefined {
  const text = options.text('limit');
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new CliError('BadOption', `\`${text}\` is no number of records`, 'give a whole number, 1 or more');
}
