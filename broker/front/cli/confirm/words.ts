// SPDX-License-Identifier: Apache-2.0
import { quote } from '../escape.ts';

type Words = ReadonlyMap<string, string>;

const WEAK = 'which any program of this user can imitate';
const SANDBOX = `its sandbox, ${WEAK}`;
const UNIT = `the name of its unit, ${WEAK}`;

/** What the evidence for a principal is worth. */
export const BINDING = words({
  uid: 'its user id',
  gid: 'its primary group',
  label: 'its security label',
  'system-unit': 'its system service',
  sandbox: SANDBOX,
  unit: UNIT,
  exe: `its program file, ${WEAK}`,
  pid: `its process alone, ${WEAK}`,
});

/** What says that the provider is the app it claims to be. */
export const PROVIDER_BINDING = words({
  sandbox: SANDBOX,
  unit: UNIT,
  'desktop-exe': 'the program file that the system has installed for it',
  launcher: "the developer's launcher that started it, such as `portalctl dev`",
  unbound: 'nothing: any program of this user could be posing as it',
});

export const ASSURANCE = words({
  advisory: 'advisory, another program of this user could pose as the one that asks',
  enforced: 'enforced, the system itself tells the one that asks from others',
});

export const EFFECT = words({
  none: 'nothing, it changes nothing',
  read: 'read',
  write: 'write, it changes something',
  destructive: 'destroy, what it changes may be lost for good',
  network: 'network, it sends something out of this machine',
  system: 'system, it changes this machine',
  unknown: 'anything, its maker does not say',
});

/** The words for a value of the broker; one that this version does not know is shown as it is. */
export function wordsFor(known: Words, value: string): string {
  return known.get(value) ?? quote(value);
}

function words(entries: Readonly<Record<string, string>>): Words {
  return new Map(Object.entries(entries));
}
