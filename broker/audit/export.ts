// SPDX-License-Identifier: Apache-2.0
import { DatabaseSync } from 'node:sqlite';
import { asStoreError } from '../store/error.ts';
import { readEvent } from './gate.ts';
import { wireForm } from './wire.ts';

export interface ExportOptions {
  /** Only events after this audit id, so that a later export continues where one ended. */
  readonly after?: string;
}

/** Events read at a time: a slow reader must not hold a snapshot, which would keep the write-ahead log from shrinking. */
const CHUNK = 500;

/**
 * The record as JSON Lines, `{"audit_id", "mac", "event"}` and a line end each, oldest first, also while a broker writes it.
 * `event` is null where the stored text is no event. Throws `StoreError` when the file cannot be read.
 */
export function* exportLines(databasePath: string, { after = '0' }: ExportOptions = {}): Generator<string> {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(databasePath, { readOnly: true });
    const read = database.prepare(
      'SELECT seq, body, mac FROM events WHERE seq > CAST(? AS INTEGER) ORDER BY seq LIMIT ?',
    );
    for (let last = after, more = true; more; ) {
      const rows = read.all(last, CHUNK);
      for (const row of rows) {
        last = String(row.seq);
        yield line(last, row.mac, String(row.body));
      }
      more = rows.length === CHUNK;
    }
  } catch (error) {
    throw asStoreError(error, `exporting \`${databasePath}\``);
  } finally {
    database?.close();
  }
}

function line(auditId: string, mac: unknown, body: string): string {
  const hex = mac instanceof Uint8Array ? Buffer.from(mac).toString('hex') : null;
  return `${JSON.stringify(wireForm({ auditId, mac: hex, event: readEvent(body) ?? null }))}\n`;
}
