// SPDX-License-Identifier: Apache-2.0
import { compareBindings, isStrong } from './binding.ts';
import type { Peer } from './peer.ts';
import {
  type Assurance,
  evidenceAskedFor,
  type OwnIds,
  type Principal,
  type PrincipalConfig,
  principalOf,
  weakestFor,
} from './principal.ts';

/**
 * Recognises peers by the configuration, held against the ids that the broker runs with. Nobody is told apart better than
 * the configuration as a whole promises: who could pass for another could pass for the strong ones' decider as well.
 */
export function recogniser(
  configured: readonly PrincipalConfig[],
  own: OwnIds = ownIds(),
): (peer: Peer) => Principal {
  const overall = assuranceOf(configured, own);
  return (peer) => {
    const principal = principalOf(peer, configured, own);
    return overall === 'advisory' ? { ...principal, assurance: overall } : principal;
  };
}

/**
 * What the configuration as a whole can promise: `advisory` when anybody is recognised by evidence that another process of
 * the same user can fake, be it only to ask.
 */
export function assuranceOf(configured: readonly PrincipalConfig[], own: OwnIds = ownIds()): Assurance {
  const faked = configured.some((entry) => {
    const kind = evidenceAskedFor(entry.match, own);
    return kind !== undefined && !isStrong(kind) && compareBindings(kind, weakestFor(entry)) >= 0;
  });
  return faked ? 'advisory' : 'enforced';
}

/** Linux has both. */
function ownIds(): OwnIds {
  return { uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1 };
}
