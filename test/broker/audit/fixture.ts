// SPDX-License-Identifier: Apache-2.0
import { DatabaseSync } from 'node:sqlite';
import type { AuditEvent, AuditType } from '../../../broker/audit/event.ts';
import { type AuditLimits, Records } from '../../../broker/audit/records.ts';
import { type Expectation, type VerifyReport, verifyChain } from '../../../broker/audit/verify.ts';
import { openStore, type Store } from '../../../broker/store/database.ts';
import { type Temporary, temporaryDirectory } from '../store/temporary.ts';

/** A store with a record in a directory of its own, and what one does to it in a test. */
export class RecordFixture {
  readonly temporary: Temporary = temporaryDirectory();
  store: Store;
  records: Records;
  clock = 1_000_000;

  constructor(limits?: AuditLimits) {
    this.store = openStore({ directory: this.temporary.path });
    this.records = this.#records(limits);
  }

  #records(limits?: AuditLimits): Records {
    return new Records({
      store: this.store,
      now: () => this.clock,
      ...(limits === undefined ? {} : { limits }),
    });
  }

  /** Appends attempts that begin and end, `inv-<first>` and up; two events each. */
  async attempts(count: number, first = 1): Promise<void> {
    for (let index = first; index < first + count; index += 1) {
      await this.records.append(event('requested', `inv-${index}`), 'full');
      await this.records.append(event('executed', `inv-${index}`), 'normal');
    }
  }

  /** As after a crash or a restart: what only lived in memory is gone. */
  reopen(limits?: AuditLimits): void {
    this.store.close();
    this.store = openStore({ directory: this.temporary.path });
    this.records = this.#records(limits);
  }

  verify(expected?: Expectation): VerifyReport {
    return verifyChain(this.store.databasePath, this.store.keyPath, expected);
  }

  /** What somebody with write access to the file, but without the key, could do; the guards are put back afterwards. */
  tamper(sql: string): void {
    this.records.close();
    this.store.close();
    const database = new DatabaseSync(this.store.databasePath);
    const guards = database.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all();
    for (const { name } of guards) database.exec(`DROP TRIGGER ${String(name)}`);
    database.exec(sql);
    for (const guard of guards) database.exec(String(guard.sql));
    database.close();
  }

  remove(): void {
    this.records.close();
    this.store.close();
    this.temporary.remove();
  }
}

export function event(type: AuditType, invocation?: string, more: Partial<AuditEvent> = {}): AuditEvent {
  return { type, time: 1000, ...(invocation === undefined ? {} : { invocation }), ...more };
}

/** The `code` a promise rejects with; 'resolved' otherwise. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error;
  }
  return 'resolved';
}
