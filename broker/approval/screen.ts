// SPDX-License-Identifier: Apache-2.0
import type { Verdict } from './choice.ts';
import type { Confirmers, ConfirmLimits } from './confirmers.ts';
import type { Row, Unanswered } from './row.ts';

interface Deps {
  readonly confirmers: Pick<Confirmers, 'ask' | 'current' | 'onAppear'>;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly limits: Pick<ConfirmLimits, 'gatherMs' | 'reofferMs'>;
  /** Whether somebody can decide from the list, with no surface on the screen. */
  readonly watched: () => boolean;
  /** What a surface answered to one row. Resolves when it counts or does not, and never rejects. */
  readonly answered: (row: Row, verdict: Verdict, decider: string) => Promise<void>;
  /** Nobody can answer this row. */
  readonly unanswered: (row: Row, why: Unanswered) => void;
  /** The asking itself failed. */
  readonly failed: (row: Row, error: unknown) => void;
}

/** Rows that are asked about in one question. */
interface Batch {
  readonly rows: Row[];
  /** Aborts when what it shows is no longer what is open. */
  change: AbortController;
}

/**
 * Keeps on the screen what is open: each question is put to the current surface, put again when one of its rows changed,
 * and taken away when nothing of it is left.
 */
export class Screen {
  readonly #deps: Deps;
  readonly #batches = new Set<Batch>();
  readonly #gathering = new Map<string, Batch>();
  /** Questions that nobody can be asked at the moment. */
  readonly #waiting = new Set<() => void>();

  constructor(deps: Deps) {
    this.#deps = deps;
    deps.confirmers.onAppear(() => this.lookAgain());
  }

  /** Asks about a row: with the others of its caller's intention that come within a moment, where it names one. */
  async show(row: Row): Promise<void> {
    const { connection, intention } = row.question;
    if (intention === undefined) return await this.#keepAsking(newBatch(row));
    const key = `${connection}\n${intention}`;
    const gathering = this.#gathering.get(key);
    if (gathering !== undefined) {
      gathering.rows.push(row);
      return;
    }
    const batch = newBatch(row);
    this.#gathering.set(key, batch);
    await this.#deps.sleep(this.#deps.limits.gatherMs, new AbortController().signal);
    this.#gathering.delete(key);
    await this.#keepAsking(batch);
  }

  /** A row was decided, put off, prolonged or ended: the question it is in is put again with what is left. */
  changed(row: Row): void {
    for (const batch of this.#batches) if (batch.rows.includes(row)) batch.change.abort();
  }

  /** Who can be asked, or who watches the list, is not who it was. */
  lookAgain(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  async #keepAsking(batch: Batch): Promise<void> {
    this.#batches.add(batch);
    for (;;) {
      batch.change = new AbortController();
      const rows = batch.rows.filter(({ state }) => state === 'pending');
      if (rows.length === 0) break;
      try {
        await this.#askOnce(batch, rows);
      } catch (error) {
        for (const row of rows) this.#deps.failed(row, error);
      }
    }
    this.#batches.delete(batch);
  }

  async #askOnce(batch: Batch, rows: readonly Row[]): Promise<void> {
    const { confirmers, answered, unanswered } = this.#deps;
    const deadline = Math.min(...rows.map(({ expiresAt }) => expiresAt));
    const reply = await confirmers.ask(rows, deadline, batch.change.signal);
    switch (reply.kind) {
      case 'changed':
        return;
      case 'answered':
        await Promise.all(
          rows.map((row) =>
            answered(row, reply.verdicts.get(row.question.digest) ?? { choice: 'deny' }, reply.decider),
          ),
        );
        return;
      case 'expired':
        for (const row of rows) if (row.expiresAt <= deadline) unanswered(row, 'expired');
        return;
      case 'too-large':
        if (rows.length === 1) for (const row of rows) unanswered(row, 'too-large');
        else await this.#oneByOne(batch, rows);
        return;
      case 'no-confirmer':
        return await this.#wait(batch, rows);
    }
  }

  /** Together they do not fit into one message. */
  async #oneByOne(batch: Batch, rows: readonly Row[]): Promise<void> {
    batch.rows.length = 0;
    await Promise.all(rows.map((row) => this.#keepAsking(newBatch(row))));
  }

  /** Until somebody can be asked, or until that has taken too long where nobody watches the list either. */
  async #wait(batch: Batch, rows: readonly Row[]): Promise<void> {
    const { confirmers, watched, sleep, limits, unanswered } = this.#deps;
    if (confirmers.current() !== undefined) return;
    const { signal } = batch.change;
    const { promise: woken, resolve } = Promise.withResolvers<'woken'>();
    const wake = () => resolve('woken');
    this.#waiting.add(wake);
    signal.addEventListener('abort', wake, { once: true });
    const patient = watched() || rows.every((row) => row.patient);
    const stop = new AbortController();
    const patience = patient
      ? new Promise<never>(() => undefined)
      : sleep(limits.reofferMs, stop.signal).catch(() => undefined);
    const outcome = await Promise.race([woken, patience]);
    this.#waiting.delete(wake);
    stop.abort();
    if (outcome === 'woken') return;
    for (const row of rows) if (!row.patient) unanswered(row, 'no-confirmer');
  }
}

function newBatch(row: Row): Batch {
  return { rows: [row], change: new AbortController() };
}
