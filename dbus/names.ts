// SPDX-License-Identifier: Apache-2.0
import type { Matches } from './matches.ts';
import { NAME_OWNER_CHANGED } from './matches.ts';

/** Called with the old and the new owner's unique name, each empty where there is none. */
export type OwnerListener = (oldOwner: string, newOwner: string) => void;

/**
 * Follows who owns which name. One match rule for all names, kept for the life of the connection: one rule per peer
 * would make the bus compare thousands of rules for each signal that anyone sends.
 */
export class NameOwners {
  readonly #matches: Matches;
  readonly #fault: (error: unknown) => void;
  readonly #lost: (error: unknown) => void;
  readonly #listeners = new Map<string, Set<OwnerListener>>();
  #subscribed = false;

  /** `lost` is told when the bus refuses the subscription: whoever relies on it would trust peers that are gone. */
  constructor(matches: Matches, fault: (error: unknown) => void, lost: (error: unknown) => void) {
    this.#matches = matches;
    this.#fault = fault;
    this.#lost = lost;
  }

  /**
   * Works for changes after this call: messages keep their order, so a question to the bus asked after it
   * (GetNameOwner, GetConnectionCredentials) leaves no gap.
   */
  follow(name: string, listener: OwnerListener): () => void {
    this.#subscribe();
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(name) === listeners) this.#listeners.delete(name);
    };
  }

  #subscribe(): void {
    if (this.#subscribed) return;
    this.#subscribed = true;
    this.#matches
      .add(NAME_OWNER_CHANGED, (signal) => {
        const [name, oldOwner, newOwner] = signal.signature === 'sss' ? signal.body : [];
        if (typeof name !== 'string' || typeof oldOwner !== 'string' || typeof newOwner !== 'string') return;
        for (const listener of [...(this.#listeners.get(name) ?? [])]) {
          try {
            listener(oldOwner, newOwner);
          } catch (error) {
            this.#fault(error);
          }
        }
      })
      .catch(this.#lost);
  }
}
