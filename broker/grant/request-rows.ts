// SPDX-License-Identifier: Apache-2.0
import type { StatementSync } from 'node:sqlite';
import type { CapabilityRequest } from '../../policy/capability-request.ts';
import type { Store } from '../store/database.ts';
import { StoreError } from '../store/error.ts';

export type RequestState = 'open' | 'granted' | 'denied' | 'expired' | 'withdrawn';
const STATES: readonly RequestState[] = ['open', 'granted', 'denied', 'expired', 'withdrawn'];

/** A request as it is stored. */
export interface RequestRow {
  readonly id: string;
  /** Who asked: the process, and the configured name that the grant would be for. */
  readonly principal: string;
  readonly name: string;
  /** The JSON it was given as, in canonical form. */
  readonly body: string;
  readonly openedAt: number;
  /** Until when it is open; of one that is over, until when it is remembered. */
  readonly expiresAt: number;
  readonly state: RequestState;
  /** A person's words with a denial. */
  readonly note?: string | undefined;
}

/** Requests for grants in the store. All but `load` is for inside the transaction that records what becomes of one. */
export class RequestRows {
  readonly #store: Pick<Store, 'database'>;
  readonly #insert: StatementSync;
  readonly #update: StatementSync;
  readonly #delete: StatementSync;

  constructor(store: Pick<Store, 'database'>) {
    const { database } = store;
    this.#store = store;
    this.#insert = database.prepare('INSERT INTO capability_requests VALUES (?, ?, ?, ?, ?, ?, ?, NULL)');
    this.#update = database.prepare(
      'UPDATE capability_requests SET state = ?, expires_at = ?, note = ? WHERE id = ?',
    );
    this.#delete = database.prepare('DELETE FROM capability_requests WHERE id = ?');
  }

  /**
   * In the order they were opened, each read with `parse`.
   * Throws `StoreCorrupt` for one that cannot be read.
   */
  load(parse: (body: unknown) => CapabilityRequest): readonly [RequestRow, CapabilityRequest][] {
    const rows = this.#store.database.prepare('SELECT * FROM capability_requests ORDER BY rowid').all();
    return rows.map((row) => {
      try {
        const read = readRow(row);
        return [read, parse(JSON.parse(read.body))];
      } catch (cause) {
        const message = 'the store holds a request that cannot be read: restore it from a backup';
        throw new StoreError('StoreCorrupt', message, { cause });
      }
    });
  }

  insert({ id, principal, name, body, openedAt, expiresAt, state }: RequestRow): void {
    this.#insert.run(id, principal, name, body, openedAt, expiresAt, state);
  }

  end({ id, state, expiresAt, note }: RequestRow): void {
    this.#update.run(state, expiresAt, note ?? null, id);
  }

  delete(id: string): void {
    this.#delete.run(id);
  }
}

function readRow(row: Readonly<Record<string, unknown>>): RequestRow {
  const state = STATES.find((each) => each === row.state);
  if (state === undefined) throw new TypeError('a state that is none');
  return {
    id: String(row.id),
    principal: String(row.principal),
    name: String(row.name),
    body: String(row.body),
    openedAt: Number(row.opened_at),
    expiresAt: Number(row.expires_at),
    state,
    note: row.note === null ? undefined : String(row.note),
  };
}
