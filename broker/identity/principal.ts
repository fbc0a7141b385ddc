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
  /**
   * When set, the only categories that a peer with this match may use, whichever entry it is recognised by: evidence may
   * always restrict, so what an agent's own entry leaves out, a stronger one for its whole user does not give back.
   */
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
 * strong, and otherwise an unmatched one, which may ask for public things and offer its own. Its id, roles and level come
 * from that entry alone; the categories of every entry that the peer matches restrict it.
 */
export function principalOf(peer: Peer, configured: readonly PrincipalConfig[], own: OwnIds): Principal {
  const candidates = configured.flatMap((entry): readonly Candidate[] => {
    const binding = evidence(entry.match, peer, own);
    return binding === undefined ? [] : [{ entry, binding }];
  });
  let best: Candidate | undefined;
  for (const candidate of candidates) {
    const { entry, binding } = candidate;
    if (compareBindings(binding, weakestFor(entry)) < 0) continue;
    if (best === undefined || compareBindings(binding, best.binding) > 0) best = candidate;
  }
  const principal = best === undefined ? unmatched(peer) : matched(best, peer);
  return { ...principal, categories: allowedByAll(candidates) };
}

/** Undefined where no entry restricts. */
function allowedByAll(candidates: readonly Candidate[]): readonly Category[] | undefined {
  const [first, ...others] = candidates.flatMap(({ entry: { categories } }) =>
    categories === undefined ? [] : [categories],
  );
  return first?.filter((category) => others.every((allowed) => allowed.includes(category)));
}

/** The weakest evidence by which an entry is earned. */
export function weakestFor({ minBinding }: PrincipalConfig): BindingKind {
  return minBinding ?? 'exe';
}

/** The strongest evidence that an entry asks for; undefined where it asks for nothing. */
export function evidenceAskedFor(match: PrincipalMatch, own: OwnIds): BindingKind | undefined {
  const asked: readonly [wanted: unknown, kind: BindingKind][] = [
    [match.uid, match.uid === own.uid ? 'pid' : 'uid'],
    [match.gid, match.gid === own.gid ? 'pid' : 'gid'],
    [match.label, 'label'],
    [match.systemUnit, 'system-unit'],
    [match.sandboxId, 'sandbox'],
    [match.appUnit, 'unit'],
    [match.exe, 'exe'],
  ];
  const kinds = asked.flatMap(([wanted, kind]) => (wanted === undefined ? [] : [kind]));
  return kinds.toSorted((a, b) => compareBindings(b, a))[0];
}

/** The evidence that a peer shows for an entry; undefined where anything that is asked for is missing. */
function evidence(match: PrincipalMatch, peer: Peer, own: OwnIds): BindingKind | undefined {
  const pairs: readonly [wanted: unknown, shown: unknown][] = [
    [match.uid, peer.uid],
    [match.gid, peer.gid],
    [match.label, peer.securityLabel],
    [match.systemUnit, peer.systemUnit],
    [match.sandboxId, peer.sandboxId],
    [match.appUnit, peer.appUnit],
    [match.exe, peer.exe],
  ];
  if (pairs.some(([wanted, shown]) => wanted !== undefined && wanted !== shown)) return undefined;
  const kind = evidenceAskedFor(match, own);
  return kind === 'exe' && peer.exeIsInterpreter ? 'pid' : kind;
}

function matched({ entry, binding }: Candidate, peer: Peer): Principal {
  const strong = isStrong(binding);
  const earned = strong || entry.minBinding !== undefined;
  return {
    // Several processes can show the same weak evidence: each is somebody of its own.
    id: strong ? entry.id : `${entry.id}:pid:${peer.pid}:${peer.startTime}`,
    name: entry.id,
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

/** The configured name in the id of a principal: several processes can share weak evidence, and each has its own id. */
export function configuredName(id: string): string {
  return id.replace(/:pid:\d+:\d+$/, '');
}

/** Whether no configured entry matched: then the id is shared by all such peers of a user. */
export function isUnmatched({ id }: Pick<Principal, 'id'>): boolean {
  return /^unmatched:\d+$/.test(id);
}

function unmatched({ uid, pid, startTime }: Peer): Principal {
  const id = `unmatched:${uid}`; // one for all of a user, so that quotas cannot be multiplied by opening connections
  return {
    id,
    name: id,
    level: 'public',
    roles: ['provider', 'intelligence'],
    categories: undefined,
    binding: 'pid',
    assurance: 'advisory', // nothing tells one of them from another
    uid,
    pid,
    startTime,
  };
}
