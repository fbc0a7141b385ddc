// SPDX-License-Identifier: Apache-2.0
import { DBusError } from './error.ts';
import type { AskBus, Matches } from './matches.ts';
import { NAME_OWNER_CHANGED } from './matches.ts';
import type { IncomingSignal } from './messages.ts';

/** Called with the old and the new owner's unique name, each empty where there is none. */
export type OwnerListener = (oldOwner: string, newOwner: string) => void;

/** Who owns one name, kept up to date until `stop`. */
export interface Owner {
  /** Whether that unique name owns the name now. */
  readonly is: (uniqueName: string) => boolean;
  /** Resolves when the owner at the start is known. */
  readonly known: Promise<void>;
  readonly stop: () => void;
}

interface Surroundings {
  readonly matches: Matches;
  readonly askBus: AskBus;
  readonly fault: (error: unknown) => void;
  /** Told when the bus refuses the subscription: whoever relies on it would trust peers that are gone. */
  readonly lost: (error: unknown) => void;
}

/**
 * Follows who owns which name. One match rule for all names, kept for the life of the connection: one rule per peer
 * would make the bus compare thousands of rules for each signal that anyone sends.
 */
export class NameOwners {
  readonly #surroundings: Surroundings;
  readonly #listeners = new Map<string, Set<OwnerListener>>();
  #subscribed = false;

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
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

  track(name: string): Owner {
    let owner: string | undefined;
    const stop = this.follow(name, (_old, now) => {
      owner = now;
    });
    const known = this.#askOwner(name).then((first) => {
      owner ??= first; // a change that arrived meanwhile is newer than this answer
    });
    return { is: (uniqueName) => uniqueName !== '' && uniqueName === owner, known, stop };
  }

  async #askOwner(name: string): Promise<string> {
    try {
      const [owner] = await this.#surroundings.askBus('GetNameOwner', name);
      return typeof owner === 'string' ? owner : '';
    } catch (error) {
      if (error instanceof DBusError && error.code === 'remote') return ''; // nobody owns it yet
      throw error;
    }
  }

  #subscribe(): void {
    if (this.#subscribed) return;
    this.#subscribed = true;
    const { matches, lost } = this.#surroundings;
    matches
      .add(NAME_OWNER_CHANGED, (signal) => {
        const change = readChange(signal);
        if (change !== undefined) this.#tell(...change);
      })
      .catch(lost);
  }

  #tell(name: string, oldOwner: string, newOwner: string): void {
    for (const listener of [...(this.#listeners.get(name) ?? [])]) {
      try {
        listener(oldOwner, newOwner);
      } catch (error) {
        this.#surroundings.fault(error);
      }
    }
  }
}

type OwnerChange = readonly [name: string, oldOwner: string, newOwner: string];

function readChange(signal: IncomingSignal): OwnerChange | undefined {
  const [name, oldOwner, newOwner] = signal.signature === 'sss' ? signal.body : [];
  if (typeof name !== 'string' || typeof oldOwner !== 'string' || typeof newOwner !== 'string')
    return undefined;
  return [name, oldOwner, newOwner];
}

/** The name that is free now, where this is the bus saying so; else empty. */
export function whoLeft(signal: IncomingSignal): string {
  const { sender, member, interface: from } = NAME_OWNER_CHANGED;
  if (signal.sender !== sender || signal.interface !== from || signal.member !== member) return '';
  const [name, , newOwner] = readChange(signal) ?? ['', '', ''];
  return newOwner === '' ? name : '';
}
