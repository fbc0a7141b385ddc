// SPDX-License-Identifier: Apache-2.0
import type { StatementSync } from 'node:sqlite';
import type { Action } from '../intent/handle.ts';
import type { Store } from '../store/database.ts';
import type { PendingFile } from './pending-file.ts';
import type { Question } from './question.ts';
import type { Row } from './row.ts';

/** Who waits, so that after a restart it can be told whether it is still there. */
export interface WaitingCaller {
  /** The unique bus name. */
  readonly connection: string;
  readonly pid: number;
  readonly startTime: string;
  readonly principal: string;
}

/** What the store itself knows of an entry: ids and times, no parameter and no word of anybody's. */
interface Stub {
  readonly digest: string;
  readonly caller: WaitingCaller;
  /** The Request object that its caller waits at. */
  readonly requestPath: string;
  readonly capability: string;
  readonly version: string;
  readonly since: number;
}

/** As much of an entry as goes into the store. */
type Open = Pick<Row, 'id' | 'state' | 'since' | 'expiresAt'> & {
  readonly question: Pick<Question, 'digest' | 'capability' | 'version'>;
};

/** How far an entry had come when the broker last wrote about it. */
export type StoredState = 'pending' | 'later' | 'approved' | 'denied' | 'running';
const STATES: readonly StoredState[] = ['pending', 'later', 'approved', 'denied', 'running'];

/** An entry of before a restart. */
export interface Stored extends Stub {
  readonly id: string;
  readonly state: StoredState;
  readonly expiresAt: number;
  /** Undefined where it was scrubbed or lost: then nothing can come of it. */
  readonly wish: { readonly action: Action; readonly question: Question } | undefined;
}

/**
 * What waits for a person, on the disk: what it is in the store, what it says in the file beside it. The methods that
 * write the store are synchronous and belong into the transaction of the event that says the same.
 */
export class PendingStore {
  readonly #file: PendingFile;
  readonly #insert: StatementSync;
  readonly #update: StatementSync;
  readonly #remove: StatementSync;
  readonly #all: StatementSync;

  constructor({ database }: Pick<Store, 'database'>, file: PendingFile) {
    this.#file = file;
    this.#insert = database.prepare(
      'INSERT INTO approvals (id, body, state, expires_at) VALUES (?, ?, ?, ?)',
    );
    this.#update = database.prepare('UPDATE approvals SET state = ?, expires_at = ? WHERE id = ?');
    this.#remove = database.prepare('DELETE FROM approvals WHERE id = ?');
    this.#all = database.prepare('SELECT id, body, state, expires_at FROM approvals ORDER BY rowid');
  }

  /** Before the entry is in the store, so that none is there without its parameters. */
  keep(id: string, action: Action, question: Question): void {
    // An undo lives in memory and does not outlast us, so there is nothing to keep of it.
    if (action.kind === 'invoke') this.#file.keep(id, JSON.stringify({ action, question }));
  }

  insert({ id, question, state, since, expiresAt }: Open, caller: WaitingCaller, requestPath: string): void {
    const { digest, capability, version } = question;
    const { connection, pid, startTime, principal } = caller;
    const who = { connection, pid, startTime, principal };
    const stub: Stub = { digest, caller: who, requestPath, capability, version, since };
    this.#insert.run(id, JSON.stringify(stub), state, expiresAt);
  }

  update(id: string, state: StoredState, expiresAt: number): void {
    this.#update.run(state, expiresAt, id);
  }

  remove(id: string): void {
    this.#remove.run(id);
  }

  /** What it said is gone for good. */
  scrub(id: string): void {
    this.#file.scrub(id);
  }

  /** To be called once, at the start: what was waiting. Parameters that belong to nothing any more are scrubbed. */
  load(): readonly Stored[] {
    const stored = this.#all.all().map((row): Stored => {
      const id = String(row.id);
      const stub = parsed(String(row.body)) as Stub | undefined;
      const state = STATES.find((one) => one === row.state) ?? 'denied';
      const expiresAt = Number(row.expires_at);
      return { ...(stub ?? UNREADABLE), id, state, expiresAt, wish: stub && this.#wish(id) };
    });
    const waiting = stored.filter(({ state }) => state === 'pending' || state === 'later');
    this.#file.keepOnly(waiting.map(({ id }) => id));
    return stored;
  }

  #wish(id: string): Stored['wish'] {
    const text = this.#file.read(id);
    return text === undefined ? undefined : (parsed(text) as Stored['wish']);
  }
}

const UNREADABLE: Stub = {
  digest: '',
  caller: { connection: '', pid: 0, startTime: '', principal: '' },
  requestPath: '',
  capability: '',
  version: '',
  since: 0,
};

/**
 * Both files are ours alone and in a form that we wrote; what is read back is held against its digest before it counts. What
 * somebody damaged is as good as lost.
 */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
