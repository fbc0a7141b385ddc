// SPDX-License-Identifier: Apache-2.0

/** How long a request that was answered `pending` can still be looked at after its outcome. */
const LINGER_MS = 60_000;

interface Kept {
  readonly remove: () => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * Requests that are over and can still be looked at: for a minute, and no more than so many of one connection, since each
 * holds an outcome. The oldest go first.
 */
export class Lingering {
  readonly #most: number;
  readonly #kept = new Map<string, Map<string, Kept>>();

  constructor(mostPerConnection: number) {
    this.#most = mostPerConnection;
  }

  keep(connection: string, handle: string, remove: () => void): void {
    const own = this.#kept.get(connection) ?? new Map<string, Kept>();
    this.#kept.set(connection, own);
    const [oldest] = own.keys();
    if (oldest !== undefined && own.size >= this.#most) this.drop(connection, oldest);
    const timer = setTimeout(() => this.drop(connection, handle), LINGER_MS).unref();
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
