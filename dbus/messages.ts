// SPDX-License-Identifier: Apache-2.0
import type { Frame } from './wire.ts';
import { NO_REPLY_EXPECTED, readBody } from './wire.ts';

export const BUS_NAME = 'org.freedesktop.DBus';
export const BUS_PATH = '/org/freedesktop/DBus';

/** A method call to make. */
export interface MethodCall {
  readonly destination: string;
  readonly path: string;
  readonly interface: string;
  readonly member: string;
  readonly signature?: string;
  readonly body?: readonly unknown[];
  /** Milliseconds, 25 000 by default; `Infinity` waits for as long as the connection lives. */
  readonly timeoutMs?: number;
  /** Gives up waiting when it, or one of them, aborts. (`AbortSignal.any` would leave work to the garbage collector.) */
  readonly signal?: AbortSignal | readonly AbortSignal[];
}

/** A signal to send: to everyone who asked for it, or to `destination` alone. */
export interface OutgoingSignal {
  readonly path: string;
  readonly interface: string;
  readonly member: string;
  readonly signature?: string;
  readonly body?: readonly unknown[];
  readonly destination?: string;
}

/** A call that arrived. `sender` is set by the message bus and cannot be forged. */
export interface IncomingCall {
  readonly sender: string;
  readonly path: string;
  /** Empty where the caller left it out. */
  readonly interface: string;
  readonly member: string;
  readonly signature: string;
  /**
   * Decoded at first use, so check `signature` first: nobody then pays for a body that is refused anyway.
   * Throws `limit` where the body is over the connection's limit, `protocol` where it does not fit its signature.
   */
  readonly body: readonly unknown[];
  readonly serial: number;
  readonly noReply: boolean;
}

/** A signal that arrived. `body` is decoded at first use, as for a call. */
export interface IncomingSignal {
  readonly sender: string;
  readonly path: string;
  readonly interface: string;
  readonly member: string;
  readonly signature: string;
  readonly body: readonly unknown[];
}

/** A received call or signal over the frame it came in. */
export class Incoming implements IncomingCall, IncomingSignal {
  readonly sender: string;
  readonly path: string;
  readonly interface: string;
  readonly member: string;
  readonly signature: string;
  readonly serial: number;
  readonly noReply: boolean;
  #frame: Frame | undefined;
  #body: readonly unknown[] = [];

  constructor(frame: Frame) {
    this.sender = frame.sender ?? '';
    this.path = frame.path ?? '';
    this.interface = frame.interface ?? '';
    this.member = frame.member ?? '';
    this.signature = frame.signature;
    this.serial = frame.serial;
    this.noReply = (frame.flags & NO_REPLY_EXPECTED) !== 0;
    this.#frame = frame;
  }

  get body(): readonly unknown[] {
    if (this.#frame !== undefined) {
      this.#body = readBody(this.#frame);
      this.#frame = undefined; // the bytes are not needed twice
    }
    return this.#body;
  }
}
