// SPDX-License-Identifier: Apache-2.0
import { Session } from '../../broker/bus/sessions.ts';
import type { Principal } from '../../broker/identity/principal.ts';
import { AGENT } from './intent/world.ts';

/** A connection of a principal, as the bus would have shown it. */
export function session(connection: string, principal: Partial<Principal> = {}, epoch = 0): Session {
  const peer = {
    name: connection,
    pid: 4242,
    startTime: '77',
    uid: 1000,
    gid: 1000,
    exe: undefined,
    exeIsInterpreter: false,
    securityLabel: undefined,
    systemUnit: undefined,
    appUnit: undefined,
    sandboxId: undefined,
    parents: [],
  };
  return new Session(peer, { ...AGENT, ...principal }, epoch);
}
