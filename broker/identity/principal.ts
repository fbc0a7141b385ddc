// SPDX-License-Identifier: Apache-2.0
import type { AuthLevel, Category } from '../../manifests/capability.ts';
import { type Principal as Asker, reaches } from '../../policy/principal.ts';
import { type BindingKind, compareBindings, isStrong } from './binding.ts';
import type { Peer, ProcessId } from './peer.ts';

export const ROLES = ['intelligence', 'provider', 'confirmer', 'operator', 'compositor'] as const;
export type Role = (typeof ROLES)[number];

/** `advisory`: what this principal may do rests on evidence that another process of the same user can fake. */
export type Assurance = 'advisory' | 'enforced';

/** What a peer must show to be this principal; all of it, and at least one thing. */
export interface PrincipalMatch {
  readonly uid?: number;
  readonly gid?: number;
  readonly label?: string;
  readonly systemUnit?: string;
  readonly sandboxId?: string;
  readonly appUnit?: string;
  readonly exe?: string;
}

/** One principal of the root-owned configuration. */
export interface PrincipalConfig {
  readonly id: string;
  readonly roles: readonly Role[];
  readonly level: AuthLevel;
  /** When set, the only categories this principal may use. */
  readonly categories?: readonly Category[] | undefined;
  readonly match: PrincipalMatch;
  /**
   * The weakest evidence that earns all of this entry; with weaker evidence the entry does not apply. Undefined: what is
   * above `user` takes evidence that the same uid cannot fake, and the rest takes `exe` at least.
   */
  readonly minBinding: BindingKind | undefined;
}

/** Who acts. */
export interface Principal extends Asker, ProcessId {
  readonly roles: readonly Role[];
  readonly binding: BindingKind;
  readonly assurance: Assurance;
  readonly uid: number;
}

/** The user and group the broker itself runs as: whoever shares them shows nothing special by that. */
export interface OwnIds {
  readonly uid: number;
  readonly gid: number;
}

interface Candidate {
  readonly entry: PrincipalConfig;
  readonly binding: BindingKind;
}

/**
 * The principal that a peer is: the configured one with the strongest evidence, the earlier entry where two are as
 * strong, and otherwise an unmatched one, which may ask for public things and offer its own.
 */
export function principalOf(peer: Peer, configured: readonly PrincipalConfig[], own: OwnIds): Principal {
  let best: Candidate | undefined;
  for (const entry of configured) {
    const binding = evidence(entry.match, peer, own);
    if (binding === undefined || compareBindings(binding, entry.minBinding ?? 'exe') < 0) continue;
    if (best === undefined || compareBindings(binding, best.binding) > 0) best = { entry, binding };
  }
  return best === undefined ? unmatched(peer) : matched(best, peer);
}

/** The strongest evidence among what an entry asks for; undefined where anything of it is missing. */
function evidence(match: PrincipalMatch, peer: Peer, own: OwnIds): BindingKind | undefined {
  const asked: readonly [wanted: unknown, shown: unknown, kind: BindingKind][] = [
    [match.uid, peer.uid, peer.uid === own.uid ? 'pid' : 'uid'],
    [match.gid, peer.gid, peer.gid === own.gid ? 'pid' : 'gid'],
    [match.label, peer.securityLabel, 'label'],
    [match.systemUnit, peer.systemUnit, 'system-unit'],
    [match.sandboxId, peer.sandboxId, 'sandbox'],
    [match.appUnit, peer.appUnit, 'unit'],
    [match.exe, peer.exe, peer.exeIsInterpreter ? 'pid' : 'exe'],
  ];
  let strongest: BindingKind | undefined;
  for (const [wanted, shown, kind] of asked) {
    if (wanted === undefined) continue;
    if (wanted !== shown) return undefined;
    if (strongest === undefined || compareBindings(kind, strongest) > 0) strongest = kind;
  }
  return strongest;
}

function matched({ entry, binding }: Candidate, peer: Peer): Principal {
  const strong = isStrong(binding);
  const earned = strong || entry.minBinding !== undefined;
  return {
    // Several processes can show the same weak evidence: each is somebody of its own.
    id: strong ? entry.id : `${entry.id}:pid:${peer.pid}:${peer.startTime}`,
    level: earned || reaches('user', entry.level) ? entry.level : 'user',
    roles: earned
      ? entry.roles
      : entry.roles.filter((role) => role === 'intelligence' || role === 'provider'),
    categories: entry.categories,
    binding,
    assurance: strong ? 'enforced' : 'advisory',
    uid: peer.uid,
    pid: peer.pid,
    startTime: peer.startTime,
  };
}

/** Whether no configured entry matched: then the id is shared by all such peers of a user. */
export function isUnmatched({ id }: Pick<Principal, 'id'>): boolean {
  return /^unmatched:\d+$/.test(id);
}

function unmatched({ uid, pid, startTime }: Peer): Principal {
  return {
    id: `unmatched:${uid}`, // one for all of a user, so that quotas cannot be multiplied by opening connections
    level: 'public',
    roles: ['provider', 'intelligence'],
    categories: undefined,
    binding: 'pid',
    assurance: 'enforced',
    uid,
    pid,
    startTime,
  };
}
