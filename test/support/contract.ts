// SPDX-License-Identifier: Apache-2.0
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '..', '..', 'dbus-policy');

export interface ContractMethod {
  readonly interface: string;
  readonly member: string;
  /** The signature of its arguments. */
  readonly in: string;
}

/** Every method of the documented interfaces. The files are ours, so this reads no more of XML than they use. */
export function contractMethods(): readonly ContractMethod[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.xml'))
    .flatMap((file) => methodsOf(readFileSync(join(FOLDER, file), 'utf8').replaceAll(/<!--.*?-->/gs, '')));
}

function methodsOf(xml: string): readonly ContractMethod[] {
  const name = /<interface name="([^"]+)"/.exec(xml)?.[1] ?? '';
  const methods = xml.matchAll(/<method name="(\w+)"(?:\/>|>(.*?)<\/method>)/gs);
  return [...methods].map(([, member = '', body = '']) => {
    const args = [...body.matchAll(/<arg\b[^>]*>/g)].map(([arg]) => arg);
    const types = args
      .filter((arg) => arg.includes('direction="in"'))
      .map((arg) => /type="([^"]+)"/.exec(arg)?.[1]);
    return { interface: name, member, in: types.join('') };
  });
}
