// SPDX-License-Identifier: Apache-2.0
import type { Waiting } from '../approval/restore.ts';
import type { World } from '../world.ts';
import { Attempt, type Caller } from './attempt.ts';

/**
 * The attempt of before a restart, for `handle` to go on with. What it was bound to is in its digest, so it may resolve what
 * came after its caller's last listing: a broker that was started anew has listed nothing to anybody yet.
 */
export function attemptOf(
  { stored, action }: Waiting,
  { connection, principal }: Caller,
  signal: AbortSignal,
  world: World,
): Attempt {
  return new Attempt({
    invocation: stored.id,
    caller: { connection, principal, epoch: Number.MAX_SAFE_INTEGER },
    signal,
    startedAt: stored.since,
    origin: action.kind === 'invoke' ? action.intent.origin : undefined,
    profile: world.config.profile,
    requestPath: stored.requestPath,
  });
}
