// SPDX-License-Identifier: Apache-2.0
import type { Status } from './intent/outcome.ts';

/** One thing a principal asked for, and how it stands. */
export interface ActionState {
  readonly invocation: string;
  readonly capability: string;
  readonly status: Status | 'pending';
}

/** Remembered of one principal. */
const MOST_ACTIONS = 50;
/** Principals that are remembered; whoever has not asked for the longest time is forgotten. */
const MOST_PRINCIPALS = 256;
const LONGEST_ID = 255;

/**
 * What each principal asked for lately and what became of it, so that an intelligence states it from here instead of
 * claiming to have acted. In memory: it holds ids alone, and the record has the rest.
 */
export class Actions {
  readonly #byPrincipal = new Map<string, Map<string, ActionState>>();

  started(principal: string, invocation: string, capability: string): void {
    const own = this.#byPrincipal.get(principal) ?? new Map<string, ActionState>();
    this.#byPrincipal.delete(principal);
    this.#byPrincipal.set(principal, own);
    forgetOldest(this.#byPrincipal, MOST_PRINCIPALS);
    own.set(invocation, { invocation, capability: capability.slice(0, LONGEST_ID), status: 'pending' });
    forgetOldest(own, MOST_ACTIONS);
  }

  ended(principal: string, invocation: string, status: Status): void {
    const own = this.#byPrincipal.get(principal);
    const action = own?.get(invocation);
    if (own !== undefined && action !== undefined) own.set(invocation, { ...action, status });
  }

  /** Oldest first. */
  of(principal: string): readonly ActionState[] {
    return [...(this.#byPrincipal.get(principal)?.values() ?? [])];
  }
}

function forgetOldest(map: Map<string, unknown>, most: number): void {
  const [oldest] = map.keys();
  if (oldest !== undefined && map.size > most) map.delete(oldest);
}
