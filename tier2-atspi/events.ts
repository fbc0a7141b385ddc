// SPDX-License-Identifier: Apache-2.0
import type { IncomingSignal } from '../dbus/connection.ts';
import { Variant } from '../dbus/values.ts';
import type { Element, Ref, Tree } from './element.ts';
import { label } from './label.ts';
import { EVENT_OBJECT, EVENT_WINDOW } from './names.ts';
import { type State, stateOf, withState } from './states.ts';

/** What an event says about one element. */
export type Change =
  /** It has to be asked again, with its children. */
  | { readonly kind: 'again'; readonly path: string }
  | { readonly kind: 'state'; readonly path: string; readonly state: State; readonly on: boolean }
  | { readonly kind: 'name' | 'description'; readonly path: string; readonly text: string };

const TEXTS = new Map([
  ['accessible-name', 'name'],
  ['accessible-description', 'description'],
] as const);

/**
 * What a signal of the app means for its tree; undefined for nothing. An event has a detail, two numbers and a value
 * (at-spi2-core 2.46, xml/Event.xml; what follows these differs between toolkits and says nothing new).
 */
export function changeOf(signal: IncomingSignal, root: Ref, maxNameLength: number): Change | undefined {
  const { interface: name, member, path, signature } = signal;
  if (!signature.startsWith('siiv')) return undefined;
  if (name === EVENT_WINDOW) return windowChange(member, path, root);
  if (name !== EVENT_OBJECT) return undefined;
  if (member === 'ChildrenChanged') return { kind: 'again', path };
  const [detail, first, , value] = signal.body;
  if (typeof detail !== 'string') return undefined;
  if (member === 'StateChanged') {
    const state = stateOf(detail);
    return state === undefined ? undefined : { kind: 'state', path, state, on: first !== 0 };
  }
  if (member !== 'PropertyChange') return undefined;
  const kind =
    detail === 'accessible-name' || detail === 'accessible-description' ? TEXTS.get(detail) : undefined;
  if (kind === undefined) return undefined;
  const text = value instanceof Variant ? value.value : undefined;
  return typeof text === 'string'
    ? { kind, path, text: label(text, maxNameLength) }
    : { kind: 'again', path };
}

function windowChange(member: string, path: string, root: Ref): Change | undefined {
  if (member === 'Create' || member === 'Destroy') return { kind: 'again', path: root.path };
  if (member === 'Activate' || member === 'Deactivate')
    return { kind: 'state', path, state: 'active', on: member === 'Activate' };
  return undefined;
}

/**
 * The tree with changes that need no asking, in their order. An app tells of every change in the order in which it
 * happened, so the last word on each state is right even where an element was read in between.
 */
export function withChanges(tree: Tree, changes: readonly Change[]): Tree {
  let elements: Map<string, Element> | undefined;
  for (const change of changes) {
    const element = (elements ?? tree.elements).get(change.path);
    if (element === undefined) continue;
    const changed = changedElement(element, change);
    if (changed === element) continue;
    elements ??= new Map(tree.elements);
    elements.set(change.path, changed);
  }
  return elements === undefined ? tree : { ...tree, elements };
}

function changedElement(element: Element, change: Change): Element {
  switch (change.kind) {
    case 'again':
      return element;
    case 'state': {
      const states = withState(element.states, change.state, change.on);
      return states === element.states ? element : { ...element, states };
    }
    case 'name':
      return element.name === change.text ? element : { ...element, name: change.text };
    case 'description':
      return element.description === change.text ? element : { ...element, description: change.text };
  }
}
