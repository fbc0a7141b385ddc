// SPDX-License-Identifier: Apache-2.0
import { BROKER, BUS_NAME, OPERATOR, REGISTRY, REQUEST, ROOT_PATH } from '../../broker/bus/names.ts';
import type { Outcome } from '../../broker/client.ts';
import type { MethodCall } from '../../dbus/connection.ts';
import { type Variant, variant } from '../../dbus/values.ts';

export type Options = Readonly<Record<string, Variant>>;

/** The broker's own methods as they are on the wire, for calls that no library would make. */
export function dispatchCall(capability: string, params: unknown, options: Options = {}): MethodCall {
  const text = typeof params === 'string' ? params : JSON.stringify(params);
  return call(BROKER, 'Dispatch', 'ssa{sv}', [capability, text, options]);
}

export function explainCall(capability: string, params: unknown, options: Options = {}): MethodCall {
  return { ...dispatchCall(capability, params, options), member: 'Explain' };
}

export function outcomeCall(invocation: string): MethodCall {
  return call(BROKER, 'Outcome', 's', [invocation]);
}

export function listCall(filter: Options = {}): MethodCall {
  return call(BROKER, 'List', 'a{sv}', [filter]);
}

export function registerCall(manifest: string, handler = '/provider', options: Options = {}): MethodCall {
  return call(REGISTRY, 'Register', 'soa{sv}', [manifest, handler, options]);
}

export function emitEventCall(type: string, payload: unknown): MethodCall {
  const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
  return call(REGISTRY, 'EmitEvent', 'ss', [type, text]);
}

export function operatorCall(member: string, signature = '', body: readonly unknown[] = []): MethodCall {
  return call(OPERATOR, member, signature, body);
}

export function cancelCall(request: string): MethodCall {
  return { ...call(REQUEST, 'Cancel', '', []), path: request };
}

export function propertiesCall(path: string, interfaceName: string): MethodCall {
  return { ...call('org.freedesktop.DBus.Properties', 'GetAll', 's', [interfaceName]), path };
}

export function pingCall(): MethodCall {
  return call('org.freedesktop.DBus.Peer', 'Ping', '', []);
}

export function brokerCall(member: string, signature: string, body: readonly unknown[]): MethodCall {
  return call(BROKER, member, signature, body);
}

/** Options of a Dispatch by their JavaScript type: texts, flags, and numbers as `u`. */
export function options(entries: Readonly<Record<string, string | boolean | number>>): Options {
  const types = { string: 's', boolean: 'b', number: 'u' } as const;
  return Object.fromEntries(
    Object.entries(entries).map(([key, value]) => [
      key,
      variant(types[typeof value as keyof typeof types], value),
    ]),
  );
}

/** The three results of Dispatch and Undo. The outcome is undefined while it is pending. */
export function readReply(reply: readonly unknown[]): {
  request: string;
  status: string;
  outcome: Outcome | undefined;
} {
  const [request, status, text] = reply;
  return { request: String(request), status: String(status), outcome: readOutcome(text) };
}

/** The parse boundary for outcomes that came without the client library. */
export function readOutcome(text: unknown): Outcome | undefined {
  return text === '' ? undefined : (JSON.parse(String(text)) as Outcome);
}

function call(name: string, member: string, signature: string, body: readonly unknown[]): MethodCall {
  return { destination: BUS_NAME, path: ROOT_PATH, interface: name, member, signature, body };
}

/** A value that the test cannot do without. */
export function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('a value is missing');
  return value;
}
