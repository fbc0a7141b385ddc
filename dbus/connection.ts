// SPDX-License-Identifier: Apache-2.0
import { createConnection } from 'node:net';
import { socketPath } from './address.ts';
import { BusConnection } from './bus-connection.ts';
import { DBusError, ERROR_NAME } from './error.ts';
import { authenticate } from './handshake.ts';
import { type ConnectionLimits, DEFAULT_LIMITS } from './limits.ts';
import type { Match, SignalListener } from './matches.ts';
import type { IncomingCall, MethodCall, OutgoingSignal } from './messages.ts';

export type { Match, SignalListener } from './matches.ts';
export type { IncomingCall, IncomingSignal, MethodCall, OutgoingSignal } from './messages.ts';

/** One connection to a message bus. */
export interface Connection {
  /** Our unique name. */
  readonly name: string;
  /**
   * Makes a call; rejects with a DBusError. Where `destination` is a unique name (or the bus), only that peer's reply
   * counts; a well-known name's owner is known to the bus alone, so there the unguessable serial is all the proof.
   */
  call(call: MethodCall): Promise<readonly unknown[]>;
  /** Sends a signal. Throws `invalid` or `limit`; after the end of the connection it does nothing. */
  emit(signal: OutgoingSignal): void;
  /** Becomes the owner of a name, without queueing and without taking it from anybody; throws when it is taken. */
  requestName(name: string): Promise<void>;
  /**
   * Sets the one handler of incoming calls. Calls that arrived before are held for it, up to 256: a service may own
   * its name before all of its code is loaded. The handler answers every call, also one that wants no answer: only then
   * does it no longer count as one of its sender's.
   */
  onCall(handler: (call: IncomingCall) => void): void;
  /** Answers a call. A body that does not fit or is over the limit becomes an error reply. */
  reply(call: IncomingCall, signature: string, body: readonly unknown[]): void;
  replyError(call: IncomingCall, name: string, text: string): void;
  /**
   * Receives signals that match, until the returned function is called. A signal that a peer sends straight to us is
   * held against the match too, its sender included.
   */
  watch(match: Match, listener: SignalListener): Promise<() => Promise<void>>;
  /** Calls `onVanished` whenever the owner of a name (a unique or a well-known one) loses it. Returns how to stop. */
  watchName(name: string, onVanished: () => void): () => void;
  /** Resolves once: with undefined after `close()`, with the reason where the bus went away. Pending calls reject. */
  readonly closed: Promise<Error | undefined>;
  close(): Promise<void>;
}

export interface ConnectOptions {
  /** Default: `DBUS_SESSION_BUS_ADDRESS`. */
  readonly address?: string;
  /** What others may use up; the defaults of `limits.ts` for the rest. */
  readonly limits?: Partial<ConnectionLimits>;
  /** Told of what a handler or listener threw: it never ends the connection. Default: a process warning, without detail. */
  readonly onFault?: (error: unknown) => void;
}

/** Connects and says Hello. Rejects with a DBusError where there is no usable address or no bus behind it. */
export async function connect(options: ConnectOptions = {}): Promise<Connection> {
  const path = socketPath(options.address ?? process.env.DBUS_SESSION_BUS_ADDRESS);
  const uid = process.getuid?.();
  if (uid === undefined)
    throw new DBusError('invalid', ERROR_NAME.disconnected, 'this system has no user ids');
  const socket = createConnection({ path });
  try {
    await authenticate(socket, uid);
    return await BusConnection.start(
      socket,
      { ...DEFAULT_LIMITS, ...options.limits },
      options.onFault ?? warn,
    );
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function warn(error: unknown): void {
  // The text of an arbitrary error may hold what passed through a call.
  process.emitWarning(`a message handler failed with ${error instanceof Error ? error.name : typeof error}`);
}
