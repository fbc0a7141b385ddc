// SPDX-License-Identifier: Apache-2.0
import type { Connection, IncomingCall } from './connection.ts';
import { DBusError, ERROR_NAME } from './error.ts';
import type { InterfaceSpec, MethodSpec, ObjectMembers } from './interface-spec.ts';
import { membersOf } from './interface-spec.ts';
import { ancestorXml, objectXml } from './introspection.ts';
import { INTROSPECTABLE, PEER, standardInterfaces } from './standard-interfaces.ts';
import { Unserved } from './unserved.ts';

export type { InterfaceSpec, MethodSpec, PropertySpec } from './interface-spec.ts';

/** An error as it goes out. */
export interface Fault {
  readonly name: string;
  readonly text: string;
}

export interface ServeOptions {
  /** The documented XML of an object; undefined lets it be generated from the specs. */
  introspect(path: string): string | undefined;
  /** Says what the caller learns of whatever a handler threw. Nothing else of it goes out. */
  fault(error: unknown, call: IncomingCall): Fault;
  /** An object that its caller may not see answers exactly like one that does not exist. Default: all is visible. */
  visible?(path: string, call: IncomingCall): boolean;
}

/** One addition to the tree: what is added again at the same path is another object, whatever it is made of. */
interface ServedObject {
  readonly members: ObjectMembers;
}

/** Serves objects on a connection, as its one call handler. */
export class ObjectTree {
  readonly #connection: Connection;
  readonly #options: ServeOptions;
  readonly #objects = new Map<string, ServedObject>();
  /** Worked out once for each list of interfaces: many objects, such as one for each request, share one. */
  readonly #described = new WeakMap<readonly InterfaceSpec[], ObjectMembers>();
  readonly #standard: ObjectMembers;

  constructor(connection: Connection, options: ServeOptions) {
    this.#connection = connection;
    this.#options = options;
    this.#standard = membersOf(
      standardInterfaces({
        members: (path) => this.#objects.get(path)?.members ?? new Map(),
        xml: (call) => this.#xml(call),
      }),
    );
    // Not at once: what is added in this turn is there for calls that were held until now.
    queueMicrotask(() => connection.onCall((call) => this.#dispatch(call)));
  }

  /** Adds an object; throws where there is one at that path already. Returns how to remove it. */
  add(path: string, interfaces: readonly InterfaceSpec[]): () => void {
    if (this.#objects.has(path)) {
      throw new DBusError('invalid', ERROR_NAME.failed, `there is already an object at \`${path}\``);
    }
    const members = this.#described.get(interfaces) ?? membersOf(interfaces);
    this.#described.set(interfaces, members);
    const object: ServedObject = { members };
    this.#objects.set(path, object);
    return () => {
      if (this.#objects.get(path) === object) this.#objects.delete(path);
    };
  }

  #dispatch(call: IncomingCall): void {
    try {
      const { handle, out } = this.#method(call);
      const results = handle(bodyOf(call), call);
      if (!(results instanceof Promise)) this.#connection.reply(call, out, results);
      else
        results.then(
          (values) => this.#connection.reply(call, out, values),
          (error: unknown) => this.#refuse(call, error),
        );
    } catch (error) {
      this.#refuse(call, error);
    }
  }

  #method(call: IncomingCall): MethodSpec {
    const object = this.#sees(call, call.path) ? this.#objects.get(call.path)?.members : undefined;
    // The specification lets Ping be answered on any path, and tools introspect from the root downwards.
    if (object === undefined && call.interface !== PEER && call.interface !== INTROSPECTABLE)
      throw unknownObject();
    const members = object?.get(call.interface) ?? this.#standard.get(call.interface);
    if (members === undefined) throw new Unserved('unknownInterface', 'no such interface');
    const method = members.methods.get(call.member);
    if (method === undefined) throw new Unserved('unknownMethod', 'no such method');
    if (method.in !== call.signature) {
      throw new Unserved('invalidArgs', `the arguments must have the signature \`${method.in}\``);
    }
    return method;
  }

  #sees(call: IncomingCall, path: string): boolean {
    return this.#options.visible?.(path, call) ?? true;
  }

  #xml(call: IncomingCall): string {
    const members = this.#objects.get(call.path)?.members;
    if (members !== undefined && this.#sees(call, call.path)) {
      return this.#options.introspect(call.path) ?? objectXml(members);
    }
    const prefix = call.path === '/' ? '/' : `${call.path}/`;
    const children = new Set<string>();
    for (const path of this.#objects.keys()) {
      if (path.startsWith(prefix) && this.#sees(call, path))
        children.add(path.slice(prefix.length).split('/', 1)[0] ?? '');
    }
    if (children.size === 0) throw unknownObject();
    return ancestorXml(children);
  }

  #refuse(call: IncomingCall, error: unknown): void {
    const { name, text } = this.#fault(call, error);
    this.#connection.replyError(call, name, text);
  }

  #fault(call: IncomingCall, error: unknown): Fault {
    if (error instanceof Unserved) return { name: error.wireName, text: error.message };
    try {
      const { name, text } = this.#options.fault(error, call);
      return { name, text };
    } catch {
      return { name: ERROR_NAME.failed, text: 'the call failed' };
    }
  }
}

function unknownObject(): Unserved {
  return new Unserved('unknownObject', 'no such object');
}

function bodyOf(call: IncomingCall): readonly unknown[] {
  try {
    return call.body;
  } catch (error) {
    if (error instanceof DBusError && error.code === 'limit')
      throw new Unserved('limitsExceeded', error.message);
    throw new Unserved('invalidArgs', 'the arguments cannot be read');
  }
}
