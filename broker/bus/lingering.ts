// SPDX-License-Identifier: Apache-2.0

interface Kept {
  readonly remove: () => void;
  readonly timer: NodeJS.Timeout;
}

export interface LingerLimits {
  /** How long a request that was answered `pending` can still be looked at after its outcome, in milliseconds. */
  readonly lingerMs: number;
  /** Of one connection: each holds an outcome. The oldest go first. */
  readonly most: number;
}

/** Requests that are over and can still be looked at, within bounds. */
export class Lingering {
  readonly #limits: LingerLimits;
  readonly #kept = new Map<string, Map<string, Kept>>();

  constructor(limits: LingerLimits) {
    this.#limits = limits;
  }

  keep(connection: string, handle: string, remove: () => void): void {
    const own = this.#kept.get(connection) ?? new Map<string, Kept>();
    this.#kept.set(connection, own);
    const [oldest] = own.keys();
    if (oldest !== undefined && own.size >= this.#limits.most) this.drop(connection, oldest);
    const timer = setTimeout(() => this.drop(connection, handle), this.#limits.lingerMs).unref();
    own.set(handle, { remove, timer });
  }

  /** Makes room for a new request of this name. */
  drop(connection: string, handle: string): void {
    const kept = this.#kept.get(connection)?.get(handle);
    if (kept === undefined) return;
    clearTimeout(kept.timer);
    this.#kept.get(connection)?.delete(handle);
    kept.remove();
  }

  /** The connection is gone, and nobody else may look. */
  forget(connection: string): void {
    for (const handle of [...(this.#kept.get(connection)?.keys() ?? [])]) this.drop(connection, handle);
    this.#kept.delete(connection);
  }
}
