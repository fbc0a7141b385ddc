// SPDX-License-Identifier: Apache-2.0
import type { InterfaceSpec, ObjectMembers } from './interface-spec.ts';
import { completeTypes } from './signature.ts';

const DOCTYPE = `<!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
`;

/** Introspection XML from the specs: signatures without argument names. */
export function objectXml(members: ObjectMembers): string {
  return document([...members.values()].map(({ spec }) => interfaceXml(spec)));
}

/** Introspection XML of a path that is no object itself, with the names of what is below. */
export function ancestorXml(children: Iterable<string>): string {
  return document([...children].map((name) => `  <node name="${name}"/>`));
}

function document(parts: readonly string[]): string {
  return `${DOCTYPE}<node>\n${parts.map((part) => `${part}\n`).join('')}</node>\n`;
}

function interfaceXml({ name, methods, properties = {}, signals = {} }: InterfaceSpec): string {
  const lines = [
    ...Object.entries(methods).map(
      ([member, spec]) =>
        `    <method name="${member}">${args(spec.in, ' direction="in"')}${args(spec.out, ' direction="out"')}</method>`,
    ),
    ...Object.entries(properties).map(
      ([member, { type }]) => `    <property name="${member}" type="${type}" access="read"/>`,
    ),
    ...Object.entries(signals).map(
      ([member, signature]) => `    <signal name="${member}">${args(signature, '')}</signal>`,
    ),
  ];
  return `  <interface name="${name}">\n${lines.map((line) => `${line}\n`).join('')}  </interface>`;
}

function args(signature: string, direction: string): string {
  return completeTypes(signature)
    .map((type) => `<arg type="${type}"${direction}/>`)
    .join('');
}
