// SPDX-License-Identifier: Apache-2.0
import { IdentityError } from './error.ts';
import type { ProcessId } from './peer.ts';

/** The process of a person's tool, as bus and kernel tell of it. */
export interface DecidingPeer extends ProcessId {
  readonly uid: number;
}

/** Finds the person behind a tool. */
export interface Decider {
  /**
   * Resolves with the name that is recorded as who decided: `user:<uid>`, from the kernel and never from a message.
   *
   * @param signal aborts when nobody waits for the answer any more
   * @throws IdentityError whenever it is not certain that there is one
   */
  authenticate(peer: DecidingPeer, signal: AbortSignal): Promise<string>;
}

/**
 * Takes the tool's process as it is, without asking the person: for a bus of one's own, and where the administrator
 * switched polkit off.
 *
 * @param firstPersonUid the lowest uid that is given to people, usually 1000
 */
export function operatorOnlyDecider(firstPersonUid: number): Decider {
  return { authenticate: async (peer) => personName(peer.uid, firstPersonUid) };
}

// 65534 is `nobody`, 65535 the invalid id of 16 bits; systemd gives the ones before them to services that have no user.
const SERVICES = { first: 61184, last: 65535 };

/** How the record names a user, from the kernel and never from a message. */
export function userName(uid: number): string {
  return `user:${uid}`;
}

/**
 * The name under which a person's decision is recorded. Root counts as one: it is the administrator.
 *
 * @throws IdentityError `NotAPerson` for the user of a service
 */
export function personName(uid: number, firstPersonUid: number): string {
  const service = uid < firstPersonUid || (uid >= SERVICES.first && uid <= SERVICES.last);
  if (uid === 0 || !service) return userName(uid);
  throw new IdentityError(
    'NotAPerson',
    `user \`${uid}\` belongs to a service and no person: run the tool as the user who decides`,
  );
}
