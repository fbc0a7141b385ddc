// SPDX-License-Identifier: Apache-2.0
import type { Connection } from '../../dbus/connection.ts';
import { LONGEST_TIMER_MS } from '../../dbus/deadlines.ts';
import { DBusError } from '../../dbus/error.ts';
import { serviceOwner } from '../../dbus/service-owner.ts';
import { variant } from '../../dbus/values.ts';
import { type Decider, type DecidingPeer, personName } from './decider.ts';
import { IdentityError } from './error.ts';
import type { ProcessId } from './peer.ts';
import { decodeAuthorisation } from './polkit-result.ts';

export type { Decider } from './decider.ts';

/** Defined in dbus-policy/org.portal.Broker1.policy. */
export const ACTION = 'org.portal.Broker1.decide';
/** Not taken from the environment: whoever sets that could name a bus on which anybody says yes. */
export const SYSTEM_BUS = 'unix:path=/run/dbus/system_bus_socket';

const POLKIT = 'org.freedesktop.PolicyKit1';
const AUTHORITY = { path: '/org/freedesktop/PolicyKit1/Authority', interface: `${POLKIT}.Authority` };
/** CheckAuthorizationFlags: the person may be asked, so the answer takes as long as a person does. */
const ALLOW_USER_INTERACTION = 1;
/** The name of the question among those of its connection, which has only one. */
const CANCELLATION = 'decide';

export interface PolkitOptions {
  /** Connects to the SYSTEM bus: once for each question, which is then all that the connection is for. */
  readonly connect: () => Promise<Connection>;
  /** How long the person may take, in milliseconds. */
  readonly timeoutMs: number;
  /** Whether a process is still running and is not another one with its number. */
  readonly alive: (process: ProcessId) => boolean;
  /** The lowest uid that is given to people, usually 1000. */
  readonly firstPersonUid: number;
}

/**
 * Has polkit authenticate the person whose tool is deciding. Root is not asked: polkit says yes to it always, and only
 * root could ask about root.
 */
export function polkitDecider(options: PolkitOptions): Decider {
  return {
    async authenticate(peer, signal) {
      const name = personName(peer.uid, options.firstPersonUid);
      requireSame(peer, options);
      if (peer.uid === 0) return name;
      const over = AbortSignal.timeout(Math.min(options.timeoutMs, LONGEST_TIMER_MS));
      try {
        await ask(peer, options, AbortSignal.any([signal, over]));
      } finally {
        // While the person typed, the process could have ended and its number gone to another one.
        requireSame(peer, options);
      }
      return name;
    },
  };
}

/** Resolves only when polkit said yes. */
async function ask(peer: DecidingPeer, { connect }: PolkitOptions, signal: AbortSignal): Promise<void> {
  let bus: Connection | undefined;
  try {
    bus = await connected(connect, signal);
    const authority = await serviceOwner(bus, POLKIT, { signal });
    decodeAuthorisation(await check(bus, authority, peer, signal));
  } catch (error) {
    throw asIdentityError(error, signal);
  } finally {
    await bus?.close();
  }
}

/** The bus may accept a connection and then say nothing, so the wait for it ends with the signal too. */
async function connected(connect: () => Promise<Connection>, signal: AbortSignal): Promise<Connection> {
  signal.throwIfAborted();
  const connecting = connect();
  const given = Promise.withResolvers<never>();
  const giveUp = (): void => {
    given.reject(signal.reason);
    connecting.then((late) => late.close()).catch(() => undefined);
  };
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    return await Promise.race([connecting, given.promise]);
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

async function check(
  bus: Connection,
  authority: string,
  { pid, startTime, uid }: DecidingPeer,
  signal: AbortSignal,
): Promise<readonly unknown[]> {
  // With the uid stated, polkit answers for this user, whatever the process has become meanwhile.
  const subject = {
    pid: variant('u', pid),
    'start-time': variant('t', BigInt(startTime)),
    uid: variant('i', uid),
  };
  const target = { destination: authority, ...AUTHORITY };
  // Closes the dialog. Nobody waits for the answer: the end of the connection would close it as well.
  const cancel = { ...target, member: 'CancelCheckAuthorization', signature: 's', body: [CANCELLATION] };
  const giveUp = (): void => void bus.call(cancel).catch(() => undefined);
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    return await bus.call({
      ...target,
      member: 'CheckAuthorization',
      signature: '(sa{sv})sa{ss}us',
      body: [['unix-process', subject], ACTION, [], ALLOW_USER_INTERACTION, CANCELLATION],
      timeoutMs: Number.POSITIVE_INFINITY,
      signal,
    });
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

function requireSame(peer: DecidingPeer, { alive }: PolkitOptions): void {
  if (alive(peer)) return;
  throw new IdentityError('changed', 'the process that decides has ended: run the tool again');
}

/** Whatever went wrong, nobody decided. */
function asIdentityError(cause: unknown, signal: AbortSignal): IdentityError {
  if (cause instanceof IdentityError) return cause;
  if (signal.aborted)
    return new IdentityError('Unanswered', 'nobody authenticated in time: try again', { cause });
  const refused =
    cause instanceof DBusError && cause.code === 'remote' && cause.name.startsWith(`${POLKIT}.`);
  return new IdentityError(
    'NoAuthority',
    refused
      ? 'polkit cannot answer: see that org.portal.Broker1.policy is in /usr/share/polkit-1/actions and that the broker runs as the same user'
      : 'polkit does not answer on the system bus: see that polkit and the system bus are running',
    { cause },
  );
}
