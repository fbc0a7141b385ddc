// SPDX-License-Identifier: Apache-2.0

/** What an element may be able to do, without the prefix that all of them share; others are of no use here. */
const INTERFACES = [
  'Accessible',
  'Action',
  'Application',
  'Component',
  'Document',
  'EditableText',
  'Hyperlink',
  'Hypertext',
  'Image',
  'Selection',
  'Table',
  'TableCell',
  'Text',
  'Value',
] as const;

export type Interface = (typeof INTERFACES)[number];
export type Interfaces = ReadonlySet<Interface>;

const PREFIX = 'org.a11y.atspi.';
const BITS: ReadonlyMap<string, number> = new Map(INTERFACES.map((name, bit) => [PREFIX + name, 1 << bit]));

/** The interfaces of one reading: elements have few different sets of them, and share those. */
export class InterfaceSets {
  readonly #sets = new Map<number, Interfaces>();

  of(names: readonly string[]): Interfaces {
    const bits = names.reduce((all, name) => all | (BITS.get(name) ?? 0), 0);
    const found = this.#sets.get(bits);
    if (found !== undefined) return found;
    const made: Interfaces = new Set(INTERFACES.filter((_name, bit) => (bits & (1 << bit)) !== 0));
    this.#sets.set(bits, made);
    return made;
  }
}
