// SPDX-License-Identifier: Apache-2.0
import type { Targets } from '../../policy/target.ts';

/**
 * What a person denied for as long as a caller's connection lasts: a capability on literal targets. In memory, since it
 * ends with the connection at the latest.
 */
export class SessionDenials {
  readonly #byConnection = new Map<string, Set<string>>();

  add(connection: string, capability: string, targets: Targets): void {
    const denied = this.#byConnection.get(connection) ?? new Set();
    this.#byConnection.set(connection, denied);
    for (const key of keysOf(capability, targets)) denied.add(key);
  }

  /** Whether any of the targets was denied: adding another to it is no way round. */
  has(connection: string, capability: string, targets: Targets): boolean {
    const denied = this.#byConnection.get(connection);
    return denied !== undefined && keysOf(capability, targets).some((key) => denied.has(key));
  }

  forget(connection: string): void {
    this.#byConnection.delete(connection);
  }
}

function keysOf(capability: string, targets: Targets): readonly string[] {
  return targets === 'undetermined'
    ? []
    : targets.map(({ kind, value }) => JSON.stringify([capability, kind, value]));
}
