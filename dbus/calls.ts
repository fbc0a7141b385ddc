// SPDX-License-Identifier: Apache-2.0
import { DBusError, ERROR_NAME } from './error.ts';
import type { MethodCall } from './messages.ts';
import { BUS_NAME } from './messages.ts';
import type { Frame } from './wire.ts';
import { MESSAGE, readBody } from './wire.ts';

const DEFAULT_TIMEOUT_MS = 25_000;
/** A timer set for longer would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

interface Pending {
  readonly destination: string;
  readonly resolve: (body: readonly unknown[]) => void;
  readonly reject: (error: unknown) => void;
}

/** The calls of one connection that wait for an answer. */
export class PendingCalls {
  readonly #pending = new Map<number, Pending>();

  get serials(): ReadonlyMap<number, unknown> {
    return this.#pending;
  }

  /** Waits for the answer to `call`, sent under `serial`; rejects with a DBusError. */
  wait(serial: number, call: MethodCall): Promise<readonly unknown[]> {
    const { destination, timeoutMs = DEFAULT_TIMEOUT_MS, signal } = call;
    return new Promise((resolve, reject) => {
      const wait = Math.min(timeoutMs, LONGEST_TIMER_MS);
      const timer = timeoutMs === Infinity ? undefined : setTimeout(() => give(timedOut(call)), wait);
      const abort = () => give(aborted(call, signal?.reason));
      const settle = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        this.#pending.delete(serial);
      };
      const give = (error: unknown): void => {
        settle();
        reject(error);
      };
      const answer = (body: readonly unknown[]): void => {
        settle();
        resolve(body);
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#pending.set(serial, { destination, resolve: answer, reject: give });
    });
  }

  /**
   * Settles the call that a reply answers. A reply from anybody but the one who was called is ignored and the call
   * goes on waiting: on a session bus every peer may send replies, and must not end other people's calls with them.
   */
  answer(frame: Frame): void {
    const pending = this.#pending.get(frame.replySerial ?? 0);
    if (pending === undefined || !mayAnswer(frame, pending.destination)) return;
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
    for (const pending of [...this.#pending.values()]) pending.reject(disconnected(cause));
  }
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
