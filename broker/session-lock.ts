// SPDX-License-Identifier: Apache-2.0
import type { Store } from './store/database.ts';

/**
 * Whether the person's session is locked, as the compositor said last. It outlives the process: a broker that is started
 * again behind a locked screen must not let anybody ask.
 */
export class SessionLock {
  readonly #store: Pick<Store, 'database' | 'transaction'>;
  #locked: boolean;

  constructor(store: Pick<Store, 'database' | 'transaction'>) {
    this.#store = store;
    this.#locked = store.database.prepare('SELECT locked FROM session').get()?.locked !== 0;
  }

  get locked(): boolean {
    return this.#locked;
  }

  /** Locking holds at once; unlocking once it is stored. @throws StoreError */
  set(locked: boolean): void {
    this.#locked ||= locked;
    this.#store.transaction('full', () =>
      this.#store.database.prepare('UPDATE session SET locked = ?').run(locked ? 1 : 0),
    );
    this.#locked = locked;
  }
}
