// SPDX-License-Identifier: Apache-2.0
import type { IncomingCall } from './messages.ts';

/** A method: the signatures of its arguments and results, and what it does. */
export interface MethodSpec {
  readonly in: string;
  readonly out: string;
  readonly handle: (
    args: readonly unknown[],
    call: IncomingCall,
  ) => Promise<readonly unknown[]> | readonly unknown[];
}

/** A read-only property. `get` sees who asks. */
export interface PropertySpec {
  readonly type: string;
  readonly get: (call: IncomingCall) => unknown;
}

export interface InterfaceSpec {
  readonly name: string;
  readonly methods: Readonly<Record<string, MethodSpec>>;
  readonly properties?: Readonly<Record<string, PropertySpec>>;
  /** Signatures by signal name, for introspection. */
  readonly signals?: Readonly<Record<string, string>>;
}

/** The members of one interface. Maps, so that `__proto__` and `constructor` are unknown like any other name. */
export interface InterfaceMembers {
  readonly spec: InterfaceSpec;
  readonly methods: ReadonlyMap<string, MethodSpec>;
  readonly properties: ReadonlyMap<string, PropertySpec>;
}

/** The interfaces of one object by name. */
export type ObjectMembers = ReadonlyMap<string, InterfaceMembers>;

export function membersOf(interfaces: readonly InterfaceSpec[]): ObjectMembers {
  return new Map(
    interfaces.map((spec) => [
      spec.name,
      {
        spec,
        methods: new Map(Object.entries(spec.methods)),
        properties: new Map(Object.entries(spec.properties ?? {})),
      },
    ]),
  );
}
