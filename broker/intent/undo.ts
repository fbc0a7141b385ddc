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

/** The open undo windows, in memory and bounded: a window is short, and a provider's token dies with its connection. */
export class Undos {
  readonly #records = new Map<string, UndoRecord>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  keep(record: UndoRecord, now: number): boolean {
    if (this.#records.size >= this.#most) this.sweep(now);
    if (this.#records.size >= this.#most) return false;
    this.#records.set(record.invocation, record);
    return true;
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
