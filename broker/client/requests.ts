// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import type { IncomingSignal } from '../../dbus/connection.ts';
import { REQUEST, ROOT_PATH } from '../bus/names.ts';
import { BrokerError } from '../peer/error.ts';
import { type BrokerLink, textOf } from '../peer/link.ts';
import { type Outcome, parseOutcome } from './outcome.ts';

/** Called with how far an invocation is, 0 to 1000, and the app's words. */
export type ProgressListener = (permille: number, text: string) => void;

export interface RequestOptions {
  /** Cancels the intent. The call still resolves, with what became of it: a write may have happened by then. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ProgressListener | undefined;
}

/** Makes the call that starts a request, with the token that names it; resolves with its three results. */
export type StartRequest = (token: string) => Promise<readonly unknown[]>;

interface Pending {
  readonly settle: (outcome: Outcome) => void;
  readonly fail: (error: unknown) => void;
  readonly onProgress: ProgressListener | undefined;
}

const TOKEN_BYTES = 16;

/** The requests of one connection: each is known by its path before it is made, so that no signal can be missed. */
export class Requests {
  readonly #link: BrokerLink;
  readonly #pending = new Map<string, Pending>();

  /** Listens for the signals of all requests at once: one match rule, however many there are. */
  static async open(link: BrokerLink): Promise<Requests> {
    const requests = new Requests(link);
    await link.connection.watch({ interface: REQUEST }, (signal) => {
      if (link.isBroker(signal.sender)) requests.#receive(signal);
    });
    link.onOwner((owner) => {
      if (owner === undefined) requests.#failAll('the broker went away: look before any retry');
    });
    link.connection.closed.then(() => requests.#failAll('the connection to the message bus ended'));
    return requests;
  }

  private constructor(link: BrokerLink) {
    this.#link = link;
  }

  /**
   * Makes a request and waits for its end, however long that takes. Rejects with a BrokerError where the call itself is
   * refused, `Aborted` where the signal was aborted before it, and `Disconnected` where nobody is left to tell the end.
   */
  async run(start: StartRequest, { signal, onProgress }: RequestOptions): Promise<Outcome> {
    if (signal?.aborted)
      throw new BrokerError('Aborted', 'cancelled before it was sent', { cause: signal.reason });
    const token = randomBytes(TOKEN_BYTES).toString('hex');
    const path = this.#path(token);
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
    this.#pending.set(path, { settle: resolve, fail: reject, onProgress });
    const cancel = (): void => this.#cancel(path);
    try {
      const [, status, outcome] = await Promise.race([start(token), promise.then(() => NOTHING)]);
      if (typeof status === 'string' && status !== 'pending') return parseOutcome(textOf(outcome));
      if (signal?.aborted) cancel();
      else signal?.addEventListener('abort', cancel, { once: true });
      return await promise;
    } finally {
      signal?.removeEventListener('abort', cancel);
      this.#pending.delete(path);
    }
  }

  #path(token: string): string {
    const sender = this.#link.connection.name.slice(1).replaceAll('.', '_');
    return `${ROOT_PATH}/request/${sender}/${token}`;
  }

  #receive({ path, member, signature, body }: IncomingSignal): void {
    const pending = this.#pending.get(path);
    if (pending === undefined) return;
    if (member === 'Completed' && signature === 'ss') {
      try {
        pending.settle(parseOutcome(textOf(body[1])));
      } catch (error) {
        pending.fail(error);
      }
    } else if (member === 'Progress' && signature === 'us') {
      const [permille, text] = body;
      if (typeof permille === 'number' && typeof text === 'string') pending.onProgress?.(permille, text);
    }
  }

  #cancel(path: string): void {
    // It fails only where the request is over, and then its outcome is on the way.
    this.#link.call(REQUEST, 'Cancel', '', [], path).catch(() => undefined);
  }

  #failAll(message: string): void {
    for (const { fail } of this.#pending.values()) fail(new BrokerError('Disconnected', message));
  }
}

const NOTHING: readonly unknown[] = [];
