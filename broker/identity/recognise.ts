// SPDX-License-Identifier: Apache-2.0
import { isStrong } from './binding.ts';
import type { Peer } from './peer.ts';
import { type Assurance, type Principal, type PrincipalConfig, principalOf } from './principal.ts';

/** Recognises peers by the configuration, held against the ids this process runs with. */
export function recogniser(configured: readonly PrincipalConfig[]): (peer: Peer) => Principal {
  const own = { uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1 };
  return (peer) => principalOf(peer, configured, own);
}

const GOVERNING: ReadonlySet<string> = new Set(['confirmer', 'operator', 'compositor']);

/**
 * What the configuration as a whole can promise: `advisory` when it lets anybody decide, operate or hold more than user
 * trust on evidence that another process of the same user can fake.
 */
export function assuranceOf(configured: readonly PrincipalConfig[]): Assurance {
  const faked = configured.some(
    ({ roles, level, minBinding }) =>
      minBinding !== undefined &&
      !isStrong(minBinding) &&
      (roles.some((role) => GOVERNING.has(role)) || level === 'privileged' || level === 'system'),
  );
  return faked ? 'advisory' : 'enforced';
}
