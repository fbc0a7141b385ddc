// SPDX-License-Identifier: Apache-2.0
import type { Connection } from '../dbus/connection.ts';
import { DBusError } from '../dbus/error.ts';
import { Variant } from '../dbus/values.ts';
import { Breaker } from './breaker.ts';
import type { Ref } from './element.ts';
import { AccessibilityError, type AccessibilityErrorCode } from './error.ts';
import type { AccessibilityLimits } from './limits.ts';
import { METHOD, type Method, type Property } from './names.ts';

const PROPERTIES = 'org.freedesktop.DBus.Properties';
const WAITING = 'the app does not answer and is left alone for now; try again later';
/** What the bus itself says of a peer that is not, or no longer, there. */
const GONE = /^org\.freedesktop\.DBus\.Error\.(?:ServiceUnknown|NameHasNoOwner|NoReply|Disconnected)$/;

export interface LineOptions {
  readonly connection: Connection;
  readonly root: Ref;
  readonly limits: AccessibilityLimits;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
}

/** When an answer must be there, for whoever has less time than the usual; and who may give up waiting. */
export interface Patience {
  readonly until?: number;
  readonly signal?: AbortSignal;
}

/** The way to one app: every question has a deadline, and an app that misses one is asked no more until it answers again. */
export class AppLine {
  readonly root: Ref;
  readonly limits: AccessibilityLimits;
  readonly connection: Connection;
  readonly now: () => number;
  readonly breaker: Breaker;
  /** Whether the app's own list of its elements is worth asking for: not after it took too long, or was too large. */
  hasCache = true;
  #probe: Promise<void> | undefined;

  constructor({ connection, root, limits, now }: LineOptions) {
    this.connection = connection;
    this.root = root;
    this.limits = limits;
    this.now = now;
    this.breaker = new Breaker(limits, now);
  }

  /** Asks an element. Rejects with an AccessibilityError; what comes back is still to be held against `method.out`. */
  async ask(
    path: string,
    method: Method,
    body: readonly unknown[] = [],
    patience: Patience = {},
  ): Promise<readonly unknown[]> {
    const { state } = this.breaker;
    if (state === 'open') throw new AccessibilityError('silent', WAITING);
    if (state === 'due') await this.#tryAgain();
    return await this.#call(path, method, body, patience);
  }

  /** The value of a property. */
  async get(path: string, property: Property, patience: Patience = {}): Promise<unknown> {
    const get: Method = { interface: PROPERTIES, member: 'Get', in: 'ss', out: 'v' };
    const [value] = await this.ask(path, get, [property.interface, property.name], patience);
    if (!(value instanceof Variant) || value.signature !== property.type)
      throw new AccessibilityError('malformed', 'a property of an element has the wrong type');
    return value.value;
  }

  /** One question for all who wait, so that an app that still hangs costs its deadline once. */
  #tryAgain(): Promise<void> {
    this.#probe ??= this.#call(this.root.path, METHOD.getRole, [], {}).then(
      () => {
        this.#probe = undefined;
      },
      (error: unknown) => {
        this.#probe = undefined;
        // An error is an answer, too: then the question behind this one decides.
        if (error instanceof AccessibilityError && error.code === 'refused') return;
        throw error;
      },
    );
    return this.#probe;
  }

  async #call(
    path: string,
    method: Method,
    body: readonly unknown[],
    { until, signal }: Patience,
  ): Promise<readonly unknown[]> {
    const { callMs } = this.limits;
    const timeoutMs = until === undefined ? callMs : Math.min(callMs, until - this.now());
    if (timeoutMs <= 0) throw new AccessibilityError('aborted', 'the time for this reading is over');
    const { interface: name, member, in: signature } = method;
    const waiting = signal === undefined ? { timeoutMs } : { timeoutMs, signal };
    try {
      const call = { destination: this.root.bus, path, interface: name, member, signature, body };
      const answer = await this.connection.call({ ...call, ...waiting });
      this.breaker.answered();
      return answer;
    } catch (error) {
      throw this.#meaningOf(error, timeoutMs < callMs);
    }
  }

  #meaningOf(error: unknown, hurried: boolean): unknown {
    if (!(error instanceof DBusError)) return error;
    const code = codeOf(error);
    // An app that was given less than the usual time cannot be blamed for using more.
    if (code === 'silent' && hurried)
      return new AccessibilityError('aborted', 'the time for this reading is over', { cause: error });
    if (code === 'silent') this.breaker.unanswered();
    if (code === 'refused' || code === 'too-large' || code === 'malformed') this.breaker.answered();
    return new AccessibilityError(code, MESSAGES[code], { cause: error });
  }
}

const MESSAGES: Readonly<Record<AccessibilityErrorCode, string>> = {
  'no-bus': 'there is no accessibility bus',
  lost: 'the accessibility bus went away',
  gone: 'the app left the accessibility bus',
  silent: 'the app gave no answer in time',
  refused: 'the app answered with an error',
  'too-large': "the app's answer is larger than the limit",
  malformed: "the app's answer is malformed",
  aborted: 'nobody waits for the answer any more',
};

function codeOf({ code, name }: DBusError): AccessibilityErrorCode {
  if (code === 'remote') return GONE.test(name) ? 'gone' : 'refused';
  if (code === 'timeout') return 'silent';
  if (code === 'disconnected') return 'lost';
  if (code === 'limit') return 'too-large';
  if (code === 'aborted') return 'aborted';
  return 'malformed'; // also an object path of the app's that nothing can be sent to
}
