// SPDX-License-Identifier: Apache-2.0
import { asNumber, asNumbers, asRefs, asText, asTexts } from './answers.ts';
import type { Facts, Gap, Ref } from './element.ts';
import { AccessibilityError } from './error.ts';
import { InterfaceSets } from './interfaces.ts';
import { label } from './label.ts';
import type { AppLine, Patience } from './line.ts';
import { METHOD, PROPERTY } from './names.ts';
import { type Role, roleOf } from './roles.ts';
import { StateSets, type States } from './states.ts';

/** Turns what an app says into facts, for one reading. */
export class FactMaker {
  readonly #interfaces = new InterfaceSets();
  readonly #states = new StateSets();
  readonly #maxNameLength: number;

  constructor(maxNameLength: number) {
    this.#maxNameLength = maxNameLength;
  }

  make(
    said: {
      readonly role: number;
      readonly name: string;
      readonly description: string;
      readonly states: readonly number[];
      readonly interfaces: readonly string[];
    },
    children: readonly Ref[] | undefined,
    unread: Facts['unread'],
  ): Facts {
    return {
      role: roleOf(said.role),
      name: label(said.name, this.#maxNameLength),
      description: label(said.description, this.#maxNameLength),
      states: this.#states.of(said.states),
      interfaces: this.#interfaces.of(said.interfaces),
      children,
      unread,
    };
  }

  statesOf(words: readonly number[]): States {
    return this.#states.of(words);
  }
}

/** Why an element's children are left alone, as far as that is known before asking for them. */
export function whyUnread(role: Role, states: States, count: number, maxChildren: number): Facts['unread'] {
  if (role === 'password text') return 'password';
  if (states.has('manages-descendants')) return 'managed';
  return count > maxChildren ? 'children' : undefined;
}

/**
 * Asks one element about itself, all at once, and then for its children where they may be asked for: a table of a
 * spreadsheet would make two thousand millions of them.
 */
export async function askElement(
  line: AppLine,
  path: string,
  maker: FactMaker,
  patience: Patience,
): Promise<Facts> {
  const [states, role, name, description, interfaces, count] = await Promise.all([
    line.ask(path, METHOD.getState, [], patience).then(([words]) => asNumbers(words)),
    line.ask(path, METHOD.getRole, [], patience).then(([number]) => asNumber(number)),
    line.get(path, PROPERTY.name, patience).then(asText),
    line.get(path, PROPERTY.description, patience).then(asText, unlessRefused),
    line.ask(path, METHOD.getInterfaces, [], patience).then(([names]) => asTexts(names)),
    line.get(path, PROPERTY.childCount, patience).then(asNumber),
  ]);
  const why = whyUnread(roleOf(role), maker.statesOf(states), count, line.limits.maxChildren);
  const facts = maker.make({ role, name, description, states, interfaces }, [], why);
  if (why !== undefined || count === 0) return facts;
  return { ...facts, ...(await askChildren(line, path, patience)) };
}

/** The children of an element that may be asked for them; none where there are too many after all. */
export async function askChildren(
  line: AppLine,
  path: string,
  patience: Patience,
): Promise<{ readonly children: readonly Ref[]; readonly unread: Gap | undefined }> {
  try {
    const [refs] = await line.ask(path, METHOD.getChildren, [], patience);
    const children = asRefs(refs);
    if (children.length <= line.limits.maxChildren) return { children, unread: undefined };
  } catch (error) {
    if (!(error instanceof AccessibilityError && error.code === 'too-large')) throw error;
  }
  return { children: [], unread: 'children' };
}

/** Not every toolkit describes every element. */
function unlessRefused(error: unknown): string {
  if (error instanceof AccessibilityError && error.code === 'refused') return '';
  throw error;
}
