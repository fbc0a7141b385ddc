// SPDX-License-Identifier: Apache-2.0
import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite';
import type { AuditEvent, AuditType } from './event.ts';
import { readEvent } from './gate.ts';

export interface AuditFilter {
  /** Inclusive, milliseconds since the epoch. */
  readonly since?: number;
  /** Exclusive, milliseconds since the epoch. */
  readonly until?: number;
  readonly type?: AuditType;
  readonly principal?: string;
  readonly capability?: string;
  readonly appId?: string;
  readonly invocation?: string;
  /** Only events after this audit id: the last one of a page leads to the next. */
  readonly after?: string;
  /** Only what holds a decision of policy. */
  readonly decided?: true;
  /** The newest that match instead of the oldest. */
  readonly newest?: boolean;
  readonly limit?: number;
}

export interface AuditRow {
  /** Decimal; unique and rising. */
  readonly auditId: string;
  /** `undefined` when the stored text is no event, which only tampering makes. */
  readonly event: AuditEvent | undefined;
}

export interface AuditStats {
  readonly events: number;
  readonly types: readonly Tally[];
  readonly stages: readonly Tally[];
  readonly codes: readonly Tally[];
  readonly calls: CallQuality;
  readonly byCapability: readonly (CallQuality & { readonly capability: string })[];
  readonly byPrincipal: readonly (CallQuality & { readonly principal: string })[];
}

export interface Tally {
  readonly value: string;
  readonly count: number;
}

/** How well-formed calls are: those that named something that exists, with parameters its schema accepts. */
export interface CallQuality {
  /** Attempts that ended, however they ended. */
  readonly ended: number;
  readonly refusedAtResolve: number;
  readonly refusedAtValidate: number;
  readonly refusedElsewhere: number;
  /** Of those that ended, the share that passed both checks; 1 when none ended. */
  readonly wellFormedShare: number;
}

/** SQL may look at the conditions in any order, and json_extract fails on what is not JSON: only tampering makes that. */
export const READABLE_EVENTS = `(SELECT seq, iif(json_valid(body), body, '{}') AS body FROM events)`;

const CONDITIONS = {
  since: `json_extract(body, '$.time') >= ?`,
  until: `json_extract(body, '$.time') < ?`,
  type: `json_extract(body, '$.type') = ?`,
  principal: `json_extract(body, '$.principal') = ?`,
  capability: `json_extract(body, '$.capability') = ?`,
  appId: `json_extract(body, '$.appId') = ?`,
  invocation: `json_extract(body, '$.invocation') = ?`,
  after: 'seq > CAST(? AS INTEGER)',
} as const;
const FILTERS = [
  'after',
  'since',
  'until',
  'type',
  'principal',
  'capability',
  'appId',
  'invocation',
] as const;

/** Matching events, oldest first; at most `maxRows`. */
export function queryEvents(database: DatabaseSync, filter: AuditFilter, maxRows: number): AuditRow[] {
  const conditions: string[] = [];
  const values: SQLInputValue[] = [];
  for (const field of FILTERS) {
    const value = filter[field];
    if (value === undefined) continue;
    conditions.push(CONDITIONS[field]);
    values.push(value);
  }
  if (filter.decided === true) conditions.push(`json_extract(body, '$.effect') IS NOT NULL`);
  const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
  const order = filter.newest ? 'DESC' : 'ASC';
  const limit = Math.min(Math.max(0, Math.trunc(filter.limit ?? maxRows)), maxRows);
  const rows = database
    .prepare(`SELECT seq, body FROM ${READABLE_EVENTS} ${where} ORDER BY seq ${order} LIMIT ?`)
    .all(...values, limit)
    .map((row) => ({ auditId: String(row.seq), event: readEvent(String(row.body)) }));
  return filter.newest ? rows.reverse() : rows;
}

const ENDED = `json_extract(body, '$.type') IN ('executed', 'failed', 'unknown', 'denied', 'expired', 'joined')`;
/** Equal refusals are recorded as one event with a count. */
const WEIGHT = `coalesce(json_extract(body, '$.count'), 1)`;

/** Counts over the whole record; at most `maxGroups` of each kind, the most frequent first. */
export function summarize(database: DatabaseSync, maxGroups: number): AuditStats {
  return {
    events: Number(database.prepare('SELECT count(*) AS count FROM events').get()?.count ?? 0),
    types: tally(database, 'type', maxGroups),
    stages: tally(database, 'stage', maxGroups),
    codes: tally(database, 'code', maxGroups),
    calls: quality(database.prepare(qualityQuery("'all'")).get(1)),
    byCapability: groups(database, 'capability', maxGroups).map((row) => ({
      capability: String(row.value),
      ...quality(row),
    })),
    byPrincipal: groups(database, 'principal', maxGroups).map((row) => ({
      principal: String(row.value),
      ...quality(row),
    })),
  };
}

type Grouped = 'type' | 'stage' | 'code' | 'capability' | 'principal';
type Row = Record<string, SQLOutputValue>;

function tally(database: DatabaseSync, field: Grouped, maxGroups: number): Tally[] {
  return database
    .prepare(
      `SELECT json_extract(body, '$.${field}') AS value, count(*) AS count FROM ${READABLE_EVENTS}
       WHERE value IS NOT NULL GROUP BY value ORDER BY count DESC, value LIMIT ?`,
    )
    .all(maxGroups)
    .map((row) => ({ value: String(row.value), count: Number(row.count) }));
}

function groups(database: DatabaseSync, field: Grouped, maxGroups: number): Row[] {
  return database.prepare(qualityQuery(`json_extract(body, '$.${field}')`)).all(maxGroups);
}

function qualityQuery(value: string): string {
  return `
    SELECT ${value} AS value, sum(weight) AS ended,
      sum(iif(denied AND stage = 'resolve', weight, 0)) AS resolve,
      sum(iif(denied AND stage = 'validate', weight, 0)) AS validate,
      sum(iif(denied AND stage NOT IN ('resolve', 'validate'), weight, 0)) AS elsewhere
    FROM (
      SELECT body, ${WEIGHT} AS weight, json_extract(body, '$.type') = 'denied' AS denied,
        coalesce(json_extract(body, '$.stage'), '') AS stage
      FROM ${READABLE_EVENTS} WHERE ${ENDED}
    )
    WHERE value IS NOT NULL GROUP BY value ORDER BY ended DESC, value LIMIT ?`;
}

function quality(row: Row | undefined): CallQuality {
  const ended = Number(row?.ended ?? 0);
  const refusedAtResolve = Number(row?.resolve ?? 0);
  const refusedAtValidate = Number(row?.validate ?? 0);
  return {
    ended,
    refusedAtResolve,
    refusedAtValidate,
    refusedElsewhere: Number(row?.elsewhere ?? 0),
    wellFormedShare: ended === 0 ? 1 : (ended - refusedAtResolve - refusedAtValidate) / ended,
  };
}
