// SPDX-License-Identifier: Apache-2.0

export interface DocumentedArgument {
  readonly name: string;
  readonly type: string;
  /** Undefined for the arguments of signals. */
  readonly out: boolean | undefined;
}

export interface DocumentedMember {
  readonly name: string;
  readonly args: readonly DocumentedArgument[];
}

/** An interface as its XML states it, and what of it its comments leave out. */
export interface Documented {
  readonly name: string;
  readonly methods: readonly DocumentedMember[];
  readonly signals: readonly DocumentedMember[];
  readonly properties: readonly { readonly name: string; readonly type: string }[];
  /** Comment by member, without indentation; the interface's own under its name. */
  readonly docs: ReadonlyMap<string, string>;
  readonly undocumented: readonly string[];
}

interface Element {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
}

const ATTRIBUTES: Readonly<Record<string, readonly string[]>> = {
  node: ['name'],
  interface: ['name'],
  method: ['name'],
  signal: ['name'],
  property: ['access', 'name', 'type'],
  arg: ['direction', 'name', 'type'],
  annotation: ['name', 'value'],
};

/**
 * Reads the small part of XML that our own interface files use, and refuses everything else: a reader that skipped what
 * it does not know would let the contract and the code drift apart.
 */
export function readInterfaces(xml: string): readonly Documented[] {
  const comments = [...xml.matchAll(/<!--([\s\S]*?)-->/g)].map(([, text = '']) => outdent(text));
  const elements = readElements(xml.replace(/<!--[\s\S]*?-->/g, '').replace(/<!DOCTYPE[^>]*>/, ''));
  const [root, ...others] = elements;
  if (root?.tag !== 'node' || others.length > 0) throw new Error('expected one node');
  return root.children.map((element) => describeInterface(element, comments));
}

function describeInterface({ tag, attributes, children }: Element, comments: readonly string[]): Documented {
  if (tag !== 'interface') throw new Error(`expected an interface, found ${tag}`);
  const name = attribute(attributes, 'name');
  const of = (kind: string): Element[] => children.filter((child) => child.tag === kind);
  const methods = of('method').map((element) => describeMember(element, ['in', 'out']));
  const signals = of('signal').map((element) => describeMember(element, [undefined]));
  const properties = of('property').map(({ attributes: own }) => {
    if (own.access !== 'read') throw new Error('every property is read-only');
    return { name: attribute(own, 'name'), type: attribute(own, 'type') };
  });
  if (methods.length + signals.length + properties.length !== children.length)
    throw new Error('an unknown member');
  const docs = new Map(comments.map((text) => [/^([\w.]+):/.exec(text)?.[1] ?? '', text]));
  const missing = (member: string, args: readonly DocumentedArgument[]): string[] => {
    const text = docs.get(member);
    if (text === undefined) return [member];
    return args.filter((arg) => !text.includes(`\n@${arg.name}: `)).map((arg) => `${member} @${arg.name}`);
  };
  const undocumented = [
    ...missing(name, []),
    ...[...methods, ...signals].flatMap((member) => missing(member.name, member.args)),
    ...properties.flatMap((property) => missing(property.name, [])),
  ];
  return { name, methods, signals, properties, docs, undocumented };
}

function describeMember(element: Element, directions: readonly (string | undefined)[]): DocumentedMember {
  const args = element.children.map(({ tag, attributes }) => {
    const { direction } = attributes;
    if (tag !== 'arg' || !directions.includes(direction)) throw new Error(`unexpected ${tag} ${direction}`);
    const out = direction === undefined ? undefined : direction === 'out';
    return { name: attribute(attributes, 'name'), type: attribute(attributes, 'type'), out };
  });
  return { name: attribute(element.attributes, 'name'), args };
}

function readElements(xml: string): readonly Element[] {
  const root: Element = { tag: '', attributes: {}, children: [] };
  const open = [root];
  let end = 0;
  for (const match of xml.matchAll(/<(\/?)(\w+)((?:\s+\w+="[^"<&]*")*)\s*(\/?)>/g)) {
    const [whole, closing, tag = '', attributes = '', empty] = match;
    if (xml.slice(end, match.index).trim() !== '') throw new Error(`stray text before ${whole}`);
    end = match.index + whole.length;
    if (closing === '/') {
      if (open.pop()?.tag !== tag) throw new Error(`${whole} closes nothing`);
      continue;
    }
    const element = { tag, attributes: readAttributes(tag, attributes), children: [] };
    open.at(-1)?.children.push(element);
    if (empty === '') open.push(element);
  }
  if (open.length !== 1 || xml.slice(end).trim() !== '')
    throw new Error('the document does not end properly');
  return root.children;
}

function readAttributes(tag: string, text: string): Readonly<Record<string, string>> {
  const known = ATTRIBUTES[tag];
  if (known === undefined) throw new Error(`unknown element ${tag}`);
  return Object.fromEntries(
    [...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => {
      if (!known.includes(name)) throw new Error(`unknown attribute ${name} of ${tag}`);
      return [name, value];
    }),
  );
}

function attribute(attributes: Readonly<Record<string, string>>, name: string): string {
  const value = attributes[name];
  if (value === undefined || value === '') throw new Error(`an element lacks its ${name}`);
  return value;
}

function outdent(text: string): string {
  return text.replace(/^\s+/gm, '').trim();
}
