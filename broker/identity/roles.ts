// SPDX-License-Identifier: Apache-2.0
import { isStrong } from './binding.ts';
import type { ProcessId } from './peer.ts';
import type { Principal, Role } from './principal.ts';

/** What a peer is about to do: ask for capabilities, offer some, answer a confirmation, or administer. */
export type Duty = 'dispatch' | 'provide' | 'decide' | 'operate';

const ROLES_FOR: Readonly<Record<Duty, readonly Role[]>> = {
  dispatch: ['intelligence', 'compositor'],
  provide: ['provider', 'compositor'],
  decide: ['confirmer', 'operator', 'compositor'],
  operate: ['operator', 'compositor'],
};

type Side = 'asks' | 'offers' | 'governs';

interface Claim {
  readonly side: Side;
  /** The open connections that made it. A connection can outlive the process that made it: a child may hold its socket. */
  readonly connections: Set<string>;
  /** Every process that made it and may still run; none for a claim that is about one connection alone. */
  readonly processes: Map<string, ProcessId>;
}

export interface RoleLimits {
  /** Claims remembered at once. Where as many are held by what still runs, further ones are refused. */
  readonly mostClaims: number;
}

/**
 * Keeps apart who asks, who offers and who governs. What a connection, a process or a strongly bound principal was once,
 * it stays: no one can ask for something and then answer the question about it. A claim holds while anything that made it
 * is left, be it the process or one of its connections. The compositor has to do both, and uses one connection for each:
 * it is held per connection only.
 */
export class Roles {
  readonly #alive: (process: ProcessId) => boolean;
  readonly #mostClaims: number;
  readonly #claims = new Map<string, Claim>();
  /** The claims that each open connection made. */
  readonly #madeBy = new Map<string, Set<string>>();

  constructor(alive: (process: ProcessId) => boolean, { mostClaims }: RoleLimits) {
    this.#alive = alive;
    this.#mostClaims = mostClaims;
  }

  /** `refused`: the principal has no role for it, or was seen on another side before. */
  claim(peerName: string, principal: Principal, duty: Duty): 'ok' | 'refused' {
    if (!ROLES_FOR[duty].some((role) => principal.roles.includes(role))) return 'refused';
    const side = sideOf(principal, duty);
    const keys = keysOf(peerName, principal);
    if (keys.some((key) => this.#conflicts(key, side))) return 'refused';
    if (!this.#hasRoom(keys)) return 'refused';
    const { pid, startTime } = principal;
    for (const key of keys) {
      const claim = this.#claims.get(key) ?? { side, connections: new Set(), processes: new Map() };
      claim.connections.add(peerName);
      if (key !== peerName) claim.processes.set(processKey(principal), { pid, startTime });
      this.#claims.set(key, claim);
    }
    this.#madeBy.set(peerName, new Set([...(this.#madeBy.get(peerName) ?? []), ...keys]));
    return 'ok';
  }

  /** A connection ended. What its process was, it stays for as long as it runs. */
  forget(peerName: string): void {
    for (const key of this.#madeBy.get(peerName) ?? []) {
      const claim = this.#claims.get(key);
      claim?.connections.delete(peerName);
      if (claim !== undefined && !this.#holds(claim)) this.#claims.delete(key);
    }
    this.#madeBy.delete(peerName);
  }

  #conflicts(key: string, side: Side): boolean {
    const claim = this.#claims.get(key);
    if (claim === undefined || claim.side === side) return false;
    if (this.#holds(claim)) return true;
    this.#claims.delete(key);
    return false;
  }

  #holds({ connections, processes }: Claim): boolean {
    for (const [key, process] of processes) if (!this.#alive(process)) processes.delete(key);
    return connections.size > 0 || processes.size > 0;
  }

  #hasRoom(keys: readonly string[]): boolean {
    const fresh = keys.filter((key) => !this.#claims.has(key)).length;
    if (this.#claims.size + fresh <= this.#mostClaims) return true;
    for (const [key, claim] of this.#claims) if (!this.#holds(claim)) this.#claims.delete(key);
    return this.#claims.size + fresh <= this.#mostClaims;
  }
}

function sideOf({ roles }: Principal, duty: Duty): Side {
  if (duty === 'dispatch') return 'asks';
  // The compositor answers confirmations and serves its windows on one connection.
  return duty === 'provide' && !roles.includes('compositor') ? 'offers' : 'governs';
}

function keysOf(peerName: string, principal: Principal): readonly string[] {
  if (principal.roles.includes('compositor')) return [peerName];
  const process = `process ${processKey(principal)}`;
  return isStrong(principal.binding) ? [peerName, process, `principal ${principal.id}`] : [peerName, process];
}

function processKey({ pid, startTime }: ProcessId): string {
  return `${pid}@${startTime}`;
}
