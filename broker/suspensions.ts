// SPDX-License-Identifier: Apache-2.0
import type { AuditEvent } from './audit/event.ts';
import type { Recorder } from './audit/records.ts';
import type { Store } from './store/database.ts';

/** Stands for every principal. */
export const EVERYBODY = '*';

export interface Suspension {
  /** A principal's id or configured name, or `*`. */
  readonly principal: string;
  /** Milliseconds since the epoch; undefined: until it is resumed. */
  readonly until: number | undefined;
}

interface Deps {
  readonly store: Pick<Store, 'database' | 'transaction'>;
  readonly records: Recorder;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Who is stopped: nothing new runs for them. It outlives the process. A stop holds from the moment it is asked for, even
 * where it cannot be stored; going on again has to be on record first.
 */
export class Suspensions {
  readonly #deps: Deps;
  readonly #held = new Map<string, Suspension>();
  readonly #listeners: (() => void)[] = [];

  constructor(deps: Deps) {
    this.#deps = deps;
    const rows = deps.store.database.prepare('SELECT principal, until FROM suspensions').all();
    for (const { principal, until } of rows) {
      const entry = { principal: String(principal), until: until === null ? undefined : Number(until) };
      this.#held.set(entry.principal, entry);
    }
  }

  /**
   * Stops a principal, by id or name, or everybody. Never ends earlier than a stop that holds already, since stopping
   * takes less authority than resuming. Rejects with `StoreError` where it is not stored; it holds all the same until
   * the process ends.
   */
  async suspend(principal: string, until: number | undefined, decider: string): Promise<void> {
    const before = this.#held.get(principal);
    // Always a new entry: a resume that is being recorded ends only the one that was there when it began.
    const entry = { ...(before === undefined ? { principal, until } : later(before, { principal, until })) };
    this.#held.set(principal, entry);
    this.#tell();
    await this.#record('Suspended', principal, decider, () =>
      this.#deps.store.database
        .prepare('INSERT OR REPLACE INTO suspensions (principal, until) VALUES (?, ?)')
        .run(principal, entry.until ?? null),
    );
  }

  /** Ends the stop of exactly this principal, or of everybody where it is `*`. False where there was none. */
  async resume(principal: string, decider: string): Promise<boolean> {
    const ended = this.#held.get(principal);
    if (ended === undefined) return false;
    await this.#record('Resumed', principal, decider, () => this.#removeRow(principal));
    // Somebody may have stopped it again meanwhile.
    if (this.#held.get(principal) === ended) this.#held.delete(principal);
    this.#tell();
    return true;
  }

  isSuspended({ id, name }: { readonly id: string; readonly name: string }, now: number): boolean {
    return [EVERYBODY, name, id].some((each) => holds(this.#held.get(each), now));
  }

  list(now: number): readonly Suspension[] {
    return [...this.#held.values()].filter((entry) => holds(entry, now));
  }

  /** Lets go of what is over. True where something was, so that whoever depends on it looks again. */
  sweep(now: number): boolean {
    const over = [...this.#held.values()].filter((entry) => !holds(entry, now));
    if (over.length === 0) return false;
    for (const { principal } of over) this.#held.delete(principal);
    this.#tell();
    this.#deps.store.transaction('normal', () => {
      for (const { principal } of over) this.#removeRow(principal);
    });
    return true;
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  #removeRow(principal: string): void {
    this.#deps.store.database.prepare('DELETE FROM suspensions WHERE principal = ?').run(principal);
  }

  async #record(
    code: 'Suspended' | 'Resumed',
    principal: string,
    decider: string,
    within: () => void,
  ): Promise<void> {
    // Without a principal the record means everybody.
    const whom: Pick<AuditEvent, 'principal'> = principal === EVERYBODY ? {} : { principal };
    const event: AuditEvent = { type: 'policy', time: this.#deps.now(), code, ...whom, decider };
    await this.#deps.records.append(event, 'full', within);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

function holds(entry: Suspension | undefined, now: number): boolean {
  return entry !== undefined && (entry.until === undefined || now < entry.until);
}

function later(a: Suspension, b: Suspension): Suspension {
  if (a.until === undefined || b.until === undefined) return a.until === undefined ? a : b;
  return a.until >= b.until ? a : b;
}
