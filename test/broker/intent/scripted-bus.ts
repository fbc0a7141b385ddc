// SPDX-License-Identifier: Apache-2.0

import { abortedBy, signalsOf } from '../../../dbus/calls.ts';
import type { MethodCall } from '../../../dbus/connection.ts';
import { DBusError, ERROR_NAME } from '../../../dbus/error.ts';
import { Variant, variant } from '../../../dbus/values.ts';

/** A clock that only moves when it is told to. */
export class Clock {
  ms = 1_900_000_000_000;
  readonly now = (): number => this.ms;
  /** Passes at once, unless it was given up before. */
  sleep = async (ms: number, signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    this.ms += Math.max(0, ms);
  };
}

/** One row of a question as it reached a confirmation surface. */
export interface Asked {
  readonly at: string;
  readonly invocation: string;
  readonly digest: string;
  readonly item: ReadonlyMap<string, unknown>;
  readonly context: ReadonlyMap<string, unknown>;
  readonly call: MethodCall;
}

/** Both ends that the broker calls over the bus, as scripts: the app and the person. */
export class ScriptedBus {
  readonly calls: MethodCall[] = [];
  readonly asked: Asked[] = [];
  readonly clock: Clock;
  /** What the app answers to Invoke and Undo. */
  app: (call: MethodCall) => unknown = () => success({});
  /** What the surface answers to Confirm. */
  person: (asked: Asked) => unknown = (asked) => this.once(asked);

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Calls that can have done something. */
  get ran(): readonly MethodCall[] {
    return this.calls.filter(({ member }) => member === 'Invoke' || member === 'Undo');
  }

  members(): readonly string[] {
    return this.calls.map(({ member }) => member);
  }

  readonly call = async (call: MethodCall): Promise<readonly unknown[]> => {
    this.calls.push(call);
    if (abortedBy(call) !== undefined) throw aborted();
    if (call.member === 'Withdraw' || call.member === 'Cancel') return [];
    if (call.member !== 'Confirm') return [await this.app(call)];
    const asked = readQuestion(call);
    this.asked.push(asked);
    const answer = await this.person(asked);
    return Array.isArray(answer) && answer[0] === REPLY ? answer.slice(1) : [answer];
  };

  /** The person reads for a second and says yes to what was shown. */
  once(asked: Asked): unknown {
    this.clock.ms += 1000;
    return decision(asked.digest, { decision: 'once' });
  }

  deny(asked: Asked, note?: string): unknown {
    this.clock.ms += 1000;
    return decision(asked.digest, { decision: 'deny', ...(note === undefined ? {} : { note }) });
  }

  /** Nobody answers this call within its time. */
  readonly never = ({ timeoutMs = 0 }: MethodCall): never => {
    this.clock.ms += timeoutMs;
    throw new DBusError('timeout', ERROR_NAME.noReply, 'no answer in time');
  };
}

const REPLY = Symbol('a whole reply body');
/** A reply with exactly these arguments. */
export const reply = (...body: readonly unknown[]): unknown => [REPLY, ...body];

/** `a{sv}` in the form in which it arrives. */
export const received = (fields: Readonly<Record<string, unknown>>): unknown =>
  Object.entries(fields).map(([key, value]) => [key, value instanceof Variant ? value : variant('s', value)]);

export const decision = (digest: string, fields: Readonly<Record<string, unknown>>): unknown =>
  received({ [digest]: variant('a{sv}', received(fields)) });

/** An app's answer. */
export const success = (data: unknown, more: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify({ success: true, data, ...more });

export const remote = (name: string, text = ''): DBusError => new DBusError('remote', name, text);
export const gone = (): DBusError =>
  remote('org.freedesktop.DBus.Error.ServiceUnknown', 'the name is not there');
export const aborted = (): DBusError => new DBusError('aborted', ERROR_NAME.noReply, 'given up waiting');

/** Waits until the broker gives the call up. */
export function untilAborted(call: MethodCall): Promise<never> {
  return new Promise((_, reject) => {
    for (const signal of signalsOf(call))
      signal.addEventListener('abort', () => reject(aborted()), { once: true });
  });
}

function readQuestion(call: MethodCall): Asked {
  const [invocation, items, context] = call.body ?? [];
  const [item] = Array.isArray(items) ? items : [];
  const fields = unwrapped(item);
  return {
    at: call.destination,
    invocation: String(invocation),
    digest: String(fields.get('digest')),
    item: fields,
    context: unwrapped(context),
    call,
  };
}

function unwrapped(given: unknown): ReadonlyMap<string, unknown> {
  const fields = typeof given === 'object' && given !== null ? Object.entries(given) : [];
  return new Map(fields.map(([key, value]) => [key, value instanceof Variant ? value.value : value]));
}
