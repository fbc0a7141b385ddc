// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import type { InterfaceMembers, InterfaceSpec, MethodSpec, ObjectMembers } from './interface-spec.ts';
import type { IncomingCall } from './messages.ts';
import { Unserved } from './unserved.ts';
import { variant } from './values.ts';

export const PEER = 'org.freedesktop.DBus.Peer';
export const INTROSPECTABLE = 'org.freedesktop.DBus.Introspectable';
export const PROPERTIES = 'org.freedesktop.DBus.Properties';

/** What the standard interfaces need to know of the tree they are served in. */
export interface Objects {
  members(path: string): ObjectMembers;
  xml(call: IncomingCall): string;
}

/** D-Bus specification, "Standard Interfaces". Every property is read-only. */
export function standardInterfaces(objects: Objects): readonly InterfaceSpec[] {
  return [
    {
      name: PEER,
      methods: {
        Ping: { in: '', out: '', handle: () => [] },
        GetMachineId: { in: '', out: 's', handle: () => [readFileSync('/etc/machine-id', 'utf8').trim()] },
      },
    },
    {
      name: INTROSPECTABLE,
      methods: { Introspect: { in: '', out: 's', handle: (_args, call) => [objects.xml(call)] } },
    },
    { name: PROPERTIES, methods: propertyMethods(objects) },
  ];
}

function propertyMethods(objects: Objects): Readonly<Record<string, MethodSpec>> {
  const find = (call: IncomingCall, name: unknown): InterfaceMembers => {
    const members = typeof name === 'string' ? objects.members(call.path).get(name) : undefined;
    if (members === undefined) throw new Unserved('unknownInterface', 'no such interface');
    return members;
  };
  const findProperty = ([name, property]: readonly unknown[], call: IncomingCall) => {
    const spec = find(call, name).properties.get(typeof property === 'string' ? property : '');
    if (spec === undefined) throw new Unserved('unknownProperty', 'no such property');
    return spec;
  };
  return {
    Get: {
      in: 'ss',
      out: 'v',
      handle: (args, call) => {
        const { type, get } = findProperty(args, call);
        return [variant(type, get(call))];
      },
    },
    GetAll: {
      in: 's',
      out: 'a{sv}',
      handle: ([name], call) => [
        [...find(call, name).properties].map(([property, { type, get }]) => [
          property,
          variant(type, get(call)),
        ]),
      ],
    },
    Set: {
      in: 'ssv',
      out: '',
      handle: (args, call) => {
        findProperty(args, call);
        throw new Unserved('propertyReadOnly', 'the property is read-only');
      },
    },
  };
}
