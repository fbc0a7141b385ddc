// SPDX-License-Identifier: Apache-2.0
import { LONGEST_TIMER_MS } from '../../dbus/deadlines.ts';
import type { ApprovalEvent } from '../../policy/approval-state.ts';
import type { Outcome } from '../intent/outcome.ts';
import { ApprovalError } from './error.ts';
import { scrubbed } from './listed.ts';
import type { PendingStore } from './pending-store.ts';
import type { Question } from './question.ts';
import { eventOf, isOpen, type Row, step, type Unanswered } from './row.ts';

export interface QuestionQuotas {
  /** Open questions of one principal. */
  readonly questionsPerPrincipal: number;
  /** Open questions of all. */
  readonly questions: number;
}

interface Deps {
  readonly store: Pick<PendingStore, 'keep' | 'insert' | 'update' | 'remove' | 'scrub'>;
  readonly quotas: QuestionQuotas;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Runs something once, later; the answer stops it. */
  readonly after: (ms: number, run: () => void) => () => void;
  /** What is on the screen of this row is no longer true. */
  readonly changed: (row: Row) => void;
  readonly fault: (error: unknown) => void;
}

/** How long an entry that has ended can still be looked at, in milliseconds, and how many of them. */
const KEPT_MS = 60 * 60_000;
const MOST_ENDED = 256;
/** What it is for an entry that nobody could answer. */
const ENDED_BY: Readonly<Record<Unanswered, ApprovalEvent>> = {
  expired: 'expire',
  withdrawn: 'withdraw',
  void: 'void',
  'no-confirmer': 'deny',
  'too-large': 'deny',
  'too-many': 'deny',
};
/** Of the parameters of all that waits; shown, each can take six in place of one. */
const MOST_CHARACTERS = 2 ** 21;

/** The entries of the list, oldest first: each from when it is recorded until it has ended and is forgotten. */
export class PendingList {
  readonly #deps: Deps;
  readonly #rows = new Map<string, Row>();
  readonly #listeners: ((ids: readonly string[]) => void)[] = [];
  #stopTimer = (): void => undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Those that are on record: nobody sees one before. */
  all(): readonly Row[] {
    this.#forgetEnded();
    return [...this.#rows.values()].filter(({ recorded }) => recorded);
  }

  open(): readonly Row[] {
    return this.all().filter(isOpen);
  }

  /** @throws ApprovalError `NotFound`, or `Stale` where it can no longer be decided */
  find(id: string): Row {
    const row = this.#rows.get(id);
    if (row === undefined || !row.recorded) {
      throw new ApprovalError('NotFound', 'nothing of this id waits for a person: list what does');
    }
    if (!isOpen(row)) throw stale();
    return row;
  }

  /** What waits already for the very same thing, for the same connection and intention. */
  same({ digest, connection, intention }: Question): Row | undefined {
    return [...this.#rows.values()].find(
      (row) =>
        isOpen(row) &&
        row.question.digest === digest &&
        row.question.connection === connection &&
        row.question.intention === intention,
    );
  }

  /**
   * A person can read so many; beyond that nobody's genuine question would be seen in time. The whole list goes into one
   * message, so there is a limit to its length as well.
   */
  hasRoom({
    principal,
    principalName,
    params,
  }: Pick<Question, 'principal' | 'principalName' | 'params'>): boolean {
    const { questions, questionsPerPrincipal } = this.#deps.quotas;
    const open = [...this.#rows.values()].filter(isOpen);
    const own = open.filter(({ question }) => question.principal === principal);
    const characters = open.reduce((sum, { question }) => sum + question.params.length, params.length);
    // Whoever can start processes has as many ids as it likes, and one name: half of the room is everybody else's.
    const ofName = open.filter(({ question }) => question.principalName === principalName);
    return (
      open.length < questions &&
      own.length < questionsPerPrincipal &&
      ofName.length < Math.max(1, questions / 2) &&
      characters <= MOST_CHARACTERS
    );
  }

  /** Writes a new entry down: its parameters first, so that none is in the store without them. */
  async record(row: Row): Promise<void> {
    const { store } = this.#deps;
    const { requester, asked } = row.hooks;
    const { requestPath } = requester;
    this.#rows.set(row.id, row);
    try {
      if (requestPath !== undefined) store.keep(row.id, requester.action, row.question);
      await asked(() => {
        if (requestPath !== undefined) store.insert(row, requester, requestPath);
      });
      row.recorded = true;
    } catch (error) {
      step(row, 'void');
      this.#scrub(row);
      throw error;
    }
  }

  /** From now on it ends when its requester leaves or its time is over. */
  begin(row: Row): void {
    const { signal } = row.hooks;
    const withdraw = () => this.unanswered(row, 'withdrawn');
    this.#rows.set(row.id, row);
    signal.addEventListener('abort', withdraw, { once: true });
    row.letGo = () => signal.removeEventListener('abort', withdraw);
    this.tell(row);
    if (signal.aborted) withdraw();
    this.arm();
  }

  /** Nobody can answer it any more. */
  unanswered(row: Row, why: Unanswered): void {
    if (!isOpen(row)) return;
    step(row, ENDED_BY[why]);
    this.close(row);
    row.answer.resolve({ kind: why });
  }

  /** The asking itself failed. */
  failed(row: Row, error: unknown): void {
    if (!isOpen(row)) return;
    step(row, 'deny');
    this.close(row);
    row.answer.reject(error);
  }

  /** It is no longer open: off the screen, and what it said is forgotten. */
  close(row: Row): void {
    row.letGo();
    this.#deps.changed(row);
    this.#scrub(row);
    this.tell(row);
  }

  /** Ends what is overdue. */
  sweep(): void {
    const now = this.#deps.now();
    for (const row of this.open()) if (row.expiresAt <= now) this.unanswered(row, 'expired');
    this.arm();
  }

  /** For the transaction of an intent record: from then on the intent runs, and is never asked about again. */
  starting(id: string): (() => void) | undefined {
    const row = this.#rows.get(id);
    return row === undefined ? undefined : () => this.#deps.store.update(id, 'running', row.expiresAt);
  }

  /** For the transaction of an intent's ending: nothing of it waits any more. */
  ending(id: string): (() => void) | undefined {
    return this.#rows.has(id) ? () => this.#deps.store.remove(id) : undefined;
  }

  /** How an intent ended that was asked about, for the list and for whoever asked the same. */
  ended(id: string, outcome: Outcome): void {
    const row = this.#rows.get(id);
    if (row === undefined) return;
    step(row, eventOf(outcome));
    row.endedAt = this.#deps.now();
    row.outcome.resolve(outcome);
    if (row.recorded) this.tell(row);
    else this.#rows.delete(id);
  }

  onChange(listener: (ids: readonly string[]) => void): void {
    this.#listeners.push(listener);
  }

  tell({ id }: Row): void {
    for (const listener of this.#listeners) listener([id]);
  }

  /** One timer, for whatever is due first. */
  arm(): void {
    this.#stopTimer();
    this.#stopTimer = () => undefined;
    const due = Math.min(...this.open().map(({ expiresAt }) => expiresAt));
    if (due === Number.POSITIVE_INFINITY) return;
    const wait = Math.min(Math.max(0, due - this.#deps.now()), LONGEST_TIMER_MS);
    this.#stopTimer = this.#deps.after(wait, () => this.sweep());
  }

  #scrub(row: Row): void {
    row.question = scrubbed(row.question);
    try {
      this.#deps.store.scrub(row.id);
    } catch (error) {
      this.#deps.fault(error);
    }
  }

  #forgetEnded(): void {
    const ended = [...this.#rows.values()].filter(({ endedAt }) => endedAt !== undefined);
    const surplus = ended.length - MOST_ENDED;
    const now = this.#deps.now();
    ended.forEach(({ id, endedAt = now }, index) => {
      if (index < surplus || now - endedAt > KEPT_MS) this.#rows.delete(id);
    });
  }
}

/** The refusal of whoever decides too late, or about something else. */
export function stale(): ApprovalError {
  return new ApprovalError('Stale', 'it was decided before, is over, or is not what was read: list again');
}
