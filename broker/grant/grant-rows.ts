// SPDX-License-Identifier: Apache-2.0
import type { StatementSync } from 'node:sqlite';
import type { Access } from '../../policy/classify.ts';
import { parseGlob } from '../../policy/glob.ts';
import type { Grant } from '../../policy/grant.ts';
import type { PolicyLimits } from '../../policy/limits.ts';
import type { Store } from '../store/database.ts';
import { StoreError } from '../store/error.ts';
import { patternTexts } from './grant-form.ts';

/** A scoped grant as it is stored, with how often it was used. */
export interface GrantRow {
  readonly grant: Grant;
  readonly grantedBy: string;
  readonly used: number;
}

/** The scoped grants in the store. All but `load` is for inside the transaction that records what is done to one. */
export class GrantRows {
  readonly #store: Pick<Store, 'database'>;
  readonly #insert: StatementSync;
  readonly #count: StatementSync;
  readonly #replace: StatementSync;
  readonly #delete: StatementSync;

  constructor(store: Pick<Store, 'database'>) {
    const { database } = store;
    this.#store = store;
    this.#insert = database.prepare(
      'INSERT INTO grants (id, body, granted_by, operations) VALUES (?, ?, ?, ?)',
    );
    this.#count = database.prepare('UPDATE grants SET used = used + 1 WHERE id = ?');
    this.#replace = database.prepare('UPDATE grants SET body = ?, operations = ? WHERE id = ?');
    this.#delete = database.prepare('DELETE FROM grants WHERE id = ?');
  }

  /** In the order they were given. Throws `StoreCorrupt` for one that cannot be read. */
  load(limits: PolicyLimits): readonly GrantRow[] {
    const rows = this.#store.database
      .prepare('SELECT id, body, granted_by, operations, used FROM grants ORDER BY rowid')
      .all();
    return rows.map(({ id, body, granted_by: grantedBy, operations, used }) => ({
      grant: stored(String(id), Number(operations), String(body), limits),
      grantedBy: String(grantedBy),
      used: Number(used),
    }));
  }

  insert(grant: Grant, operations: number, grantedBy: string): void {
    this.#insert.run(grant.id, storedForm(grant), grantedBy, operations);
  }

  /** One more use. The table refuses more than were granted. */
  count(id: string): void {
    this.#count.run(id);
  }

  replace(grant: Grant, operations: number): void {
    this.#replace.run(storedForm(grant), operations, grant.id);
  }

  delete(id: string): void {
    this.#delete.run(id);
  }
}

function stored(id: string, operations: number, body: string, limits: PolicyLimits): Grant {
  try {
    return readStoredForm(id, operations, body, limits);
  } catch (cause) {
    const message = 'the store holds a grant that cannot be read: restore it from a backup';
    throw new StoreError('StoreCorrupt', message, { cause });
  }
}

/** All of a scoped grant but its id and its counts, which have columns of their own. */
interface StoredGrant {
  readonly principal: string;
  readonly capability: string;
  readonly definition: string;
  readonly target?: string;
  readonly params: Readonly<Record<string, string>>;
  readonly access: Access;
  readonly expiresAt: number;
  readonly reason: string;
}

function storedForm(grant: Grant): string {
  const { principal, capability, definitionDigest, access, expiresAt, reason } = grant;
  const stored: StoredGrant = {
    principal,
    capability,
    definition: definitionDigest,
    ...patternTexts(grant),
    access,
    expiresAt,
    reason,
  };
  return JSON.stringify(stored);
}

/** Reads what `storedForm` wrote. Throws for anything else. */
function readStoredForm(id: string, operations: number, body: string, limits: PolicyLimits): Grant {
  const { principal, capability, definition, target, params, access, expiresAt, reason } = JSON.parse(
    body,
  ) as StoredGrant;
  return {
    id,
    kind: 'scoped',
    principal,
    capability,
    definitionDigest: definition,
    target: target === undefined ? undefined : parseGlob(target, limits),
    params: Object.entries(params).map(([pointer, glob]) => ({ pointer, glob: parseGlob(glob, limits) })),
    access,
    expiresAt,
    operations,
    reason,
    session: undefined,
  };
}
