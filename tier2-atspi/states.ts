// SPDX-License-Identifier: Apache-2.0

/** What can be said of an element, at the place that is its bit: `AtspiStateType` of at-spi2-core 2.46, atspi/atspi-constants.h. */
// biome-ignore format: as in roles.ts
const STATES = [
  'invalid', 'active', 'armed', 'busy', 'checked', 'collapsed', 'defunct', 'editable', 'enabled',
  'expandable', 'expanded', 'focusable', 'focused', 'has-tooltip', 'horizontal', 'iconified', 'modal',
  'multi-line', 'multiselectable', 'opaque', 'pressed', 'resizable', 'selectable', 'selected', 'sensitive',
  'showing', 'single-line', 'stale', 'transient', 'vertical', 'visible', 'manages-descendants',
  'indeterminate', 'required', 'truncated', 'animated', 'invalid-entry', 'supports-autocompletion',
  'selectable-text', 'is-default', 'visited', 'checkable', 'has-popup', 'read-only',
] as const;

export type State = (typeof STATES)[number];
export type States = ReadonlySet<State>;

const KNOWN: ReadonlySet<string> = new Set(STATES);

/** The state that an event names, whose spelling differs between toolkits; undefined for none of the list. */
export function stateOf(name: string): State | undefined {
  const spelled = name.toLowerCase().replaceAll(/[_ ]/g, '-');
  return isState(spelled) ? spelled : undefined;
}

function isState(name: string): name is State {
  return KNOWN.has(name);
}

/** `states` with one of them set or cleared; the same set where nothing changes. */
export function withState(states: States, state: State, on: boolean): States {
  if (states.has(state) === on) return states;
  const changed = new Set(states);
  if (on) changed.add(state);
  else changed.delete(state);
  return changed;
}

/** The states of one reading: elements have few different sets of them, and share those. */
export class StateSets {
  readonly #sets = new Map<string, States>();

  /** The set that two words of 32 bits stand for, the lower one first; bits beyond the list are left out. */
  of([low = 0, high = 0]: readonly number[]): States {
    const key = `${low},${high}`;
    const found = this.#sets.get(key);
    if (found !== undefined) return found;
    const isSet = (bit: number) => ((bit < 32 ? low >>> bit : high >>> (bit - 32)) & 1) !== 0;
    const made: States = new Set(STATES.filter((_name, bit) => isSet(bit)));
    this.#sets.set(key, made);
    return made;
  }
}
