// SPDX-License-Identifier: Apache-2.0
import { type Deadline, Deadlines } from './deadlines.ts';
import { DBusError, ERROR_NAME } from './error.ts';
import type { MethodCall } from './messages.ts';
import { BUS_NAME } from './messages.ts';
import type { Frame } from './wire.ts';
import { MESSAGE, readBody } from './wire.ts';

const DEFAULT_TIMEOUT_MS = 25_000;

const NO_SIGNALS: readonly AbortSignal[] = [];

interface Pending {
  readonly call: MethodCall;
  readonly resolve: (body: readonly unknown[]) => void;
  readonly reject: (error: unknown) => void;
  readonly abort: () => void;
  readonly deadline: Deadline;
}

/** The calls of one connection that wait for an answer. */
export class PendingCalls {
  readonly #pending = new Map<number, Pending>();
  readonly #deadlines = new Deadlines();

  get serials(): ReadonlyMap<number, unknown> {
    return this.#pending;
  }

  /** Waits for the answer to `call`, sent under `serial`; rejects with a DBusError. */
  wait(serial: number, call: MethodCall): Promise<readonly unknown[]> {
    return new Promise((resolve, reject) => {
      const expire = () => this.#settle(serial)?.reject(timedOut(call));
      const deadline = this.#deadlines.add(call.timeoutMs ?? DEFAULT_TIMEOUT_MS, expire);
      const abort = () => this.#settle(serial)?.reject(aborted(call, abortedBy(call)?.reason));
      this.#pending.set(serial, { call, resolve, reject, abort, deadline });
      for (const signal of signalsOf(call)) signal.addEventListener('abort', abort);
    });
  }

  /** Takes a call out that is answered or given up. */
  #settle(serial: number): Pending | undefined {
    const pending = this.#pending.get(serial);
    if (pending === undefined) return undefined;
    this.#pending.delete(serial);
    this.#deadlines.met(pending.deadline);
    for (const signal of signalsOf(pending.call)) signal.removeEventListener('abort', pending.abort);
    return pending;
  }

  /**
   * Settles the call that a reply answers. A reply from anybody but the one who was called is ignored and the call
   * goes on waiting: on a session bus every peer may send replies, and must not end other people's calls with them.
   */
  answer(frame: Frame): void {
    const serial = frame.replySerial ?? 0;
    const pending = this.#pending.get(serial);
    if (pending === undefined || !mayAnswer(frame, pending.call.destination)) return;
    this.#settle(serial);
    if (frame.type === MESSAGE.error) {
      pending.reject(remoteError(frame));
      return;
    }
    try {
      pending.resolve(readBody(frame));
    } catch (error) {
      pending.reject(error);
    }
  }

  rejectAll(cause: Error | undefined): void {
    for (const serial of [...this.#pending.keys()]) this.#settle(serial)?.reject(disconnected(cause));
  }
}

/** What may end the waiting for a call early. */
export function signalsOf({ signal }: MethodCall): readonly AbortSignal[] {
  if (signal === undefined) return NO_SIGNALS;
  return signal instanceof AbortSignal ? [signal] : signal;
}

/** The signal that says that nobody waits for this call, if one does. */
export function abortedBy(call: MethodCall): AbortSignal | undefined {
  return signalsOf(call).find(({ aborted }) => aborted);
}

/**
 * The bus itself answers with an error for a peer that is gone or may not be reached. Who owns a well-known name at
 * the moment of delivery is the bus's knowledge alone, so there the random serial is the only proof:
 * call by unique name where the answer matters.
 */
function mayAnswer(frame: Frame, destination: string): boolean {
  if (frame.sender === destination) return true;
  if (frame.sender === BUS_NAME) return frame.type === MESSAGE.error;
  return destination !== BUS_NAME && !destination.startsWith(':');
}

function remoteError(frame: Frame): DBusError {
  let text = '';
  try {
    const [first] = frame.signature.startsWith('s') ? readBody(frame) : [];
    if (typeof first === 'string') text = first;
  } catch {
    // The name alone must do: an unreadable text makes the call no less failed.
  }
  return new DBusError('remote', frame.errorName ?? ERROR_NAME.failed, text);
}

function describe(call: MethodCall): string {
  return `\`${call.interface}.${call.member}\` of \`${call.destination}\``;
}

function timedOut(call: MethodCall): DBusError {
  return new DBusError('timeout', ERROR_NAME.noReply, `no answer in time from ${describe(call)}`);
}

export function aborted(call: MethodCall, cause: unknown): DBusError {
  return new DBusError('aborted', ERROR_NAME.noReply, `given up waiting for ${describe(call)}`, { cause });
}

export function disconnected(cause: Error | undefined): DBusError {
  return new DBusError(
    'disconnected',
    ERROR_NAME.disconnected,
    'the connection to the message bus is closed',
    { cause },
  );
}
