// SPDX-License-Identifier: Apache-2.0
import { connect } from '../../dbus/connection.ts';
import type { Recorder } from '../audit/records.ts';
import { who } from '../audit/who.ts';
import { type Session, Sessions } from '../bus/sessions.ts';
import { operatorOnlyDecider } from '../identity/decider.ts';
import { Peers } from '../identity/peer.ts';
import { type Decider, polkitDecider, SYSTEM_BUS } from '../identity/polkit.ts';
import { recogniser } from '../identity/recognise.ts';
import { Roles } from '../identity/roles.ts';
import { Person } from '../person.ts';
import type { Parts } from './parts.ts';

const ROLES = { mostClaims: 100_000 };
/** Where distributions begin to give uids to people. */
const FIRST_PERSON_UID = 1000;

export interface Callers {
  readonly sessions: Sessions;
  readonly person: Person;
}

/** Who calls, and which person is behind a call that takes one. */
export async function openCallers(
  { bus, config, log, now }: Parts,
  records: Recorder,
  epoch: () => number,
  gone: (session: Session) => void,
): Promise<Callers> {
  const peers = await Peers.start(bus);
  const roles = new Roles((process) => peers.alive(process), ROLES);
  const sessions = new Sessions({
    peers,
    recognise: recogniser(config.principals),
    roles,
    epoch,
    refused: async ({ principal }, duty) => {
      await records
        .append({ type: 'role-refused', time: now(), stage: duty, ...who(principal) }, 'normal')
        .catch((error: unknown) => log.fault(error));
    },
    gone: (session) => {
      roles.forget(session.connection);
      gone(session);
    },
  });
  return { sessions, person: new Person(deciderOf(config.decide, peers)) };
}

function deciderOf({ polkit, timeoutMs }: Parts['config']['decide'], peers: Pick<Peers, 'alive'>): Decider {
  if (!polkit) return operatorOnlyDecider(FIRST_PERSON_UID);
  return polkitDecider({
    connect: () => connect({ address: SYSTEM_BUS }),
    timeoutMs,
    alive: (process) => peers.alive(process),
    firstPersonUid: FIRST_PERSON_UID,
  });
}
