// SPDX-License-Identifier: Apache-2.0
import type { Entry } from '../../manifests/registry.ts';
import type { Targets } from '../../policy/target.ts';

/** What is kept so that one executed intent can be taken back, once, in its window. */
export interface UndoRecord {
  readonly invocation: string;
  readonly principal: string;
  /** The definition and provider that ran it; another may not undo it. */
  readonly entry: Entry;
  readonly targets: Targets;
  /** The app's own handle; given back to the app alone. */
  readonly token: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** The open undo windows, in memory: a window is short, and a provider's token dies with its connection. */
export class Undos {
  readonly #records = new Map<string, UndoRecord>();
  readonly #mostPerApp: number;

  constructor(mostPerApp: number) {
    this.#mostPerApp = mostPerApp;
  }

  /** Bounded for each app: one that has too many loses its own oldest, and no other app one of its. */
  keep(record: UndoRecord, now: number): void {
    this.sweep(now);
    const own = [...this.#records.values()].filter(({ entry }) => entry.appId === record.entry.appId);
    const [oldest] = own;
    if (oldest !== undefined && own.length >= this.#mostPerApp) this.#records.delete(oldest.invocation);
    this.#records.set(record.invocation, record);
  }

  find(invocation: string, now: number): UndoRecord | undefined {
    const record = this.#records.get(invocation);
    return record !== undefined && now < record.until ? record : undefined;
  }

  /** Takes it out, so that it can be used once. */
  take(invocation: string, now: number): UndoRecord | undefined {
    const record = this.find(invocation, now);
    this.#records.delete(invocation);
    return record;
  }

  sweep(now: number): void {
    for (const [invocation, record] of this.#records)
      if (now >= record.until) this.#records.delete(invocation);
  }
}
