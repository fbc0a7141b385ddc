// SPDX-License-Identifier: Apache-2.0
import { asList, asNumber, asNumbers, asRef, asText, asTexts } from './answers.ts';
import { type FactMaker, whyUnread } from './ask.ts';
import type { Facts, Ref } from './element.ts';
import { AccessibilityError } from './error.ts';
import type { AppLine, Patience } from './line.ts';
import { CACHE_PATH, METHOD } from './names.ts';
import { roleOf } from './roles.ts';

interface Item {
  readonly ref: Ref;
  readonly parent: string;
  /** Among its siblings. */
  readonly index: number;
  /** How many children it says that it has; negative where it will not say. */
  readonly count: number;
  readonly said: Parameters<FactMaker['make']>[0];
}

const NOTHING: ReadonlyMap<string, Facts> = new Map();

/**
 * The facts of all elements that the app lists in one answer, by object path; empty where it has no such list, an empty
 * one, or one of the older form. Children are known only where the list holds as many as the element says it has: that
 * something is not listed never means that it is not there. Rejects where nothing of the app is to be had at all.
 */
export async function askCache(
  line: AppLine,
  maker: FactMaker,
  patience: Patience,
): Promise<ReadonlyMap<string, Facts>> {
  if (!line.hasCache) return NOTHING;
  try {
    const [items] = await line.ask(CACHE_PATH, METHOD.getItems, [], patience);
    return factsOf(asList(items), line, maker);
  } catch (error) {
    if (!(error instanceof AccessibilityError)) throw error;
    const { code } = error;
    if (code === 'silent' || code === 'too-large' || code === 'malformed') line.hasCache = false;
    if (code === 'refused' || code === 'too-large' || code === 'malformed') return NOTHING;
    throw error;
  }
}

function factsOf(list: readonly unknown[], line: AppLine, maker: FactMaker): ReadonlyMap<string, Facts> {
  const { maxChildren } = line.limits;
  const items = new Map<string, Item>();
  const families = new Map<string, Item[]>();
  for (const value of list) {
    const item = asItem(value);
    if (item === undefined || item.ref.bus !== line.root.bus || items.has(item.ref.path)) continue;
    items.set(item.ref.path, item);
    const family = families.get(item.parent);
    if (family === undefined) families.set(item.parent, [item]);
    else family.push(item);
  }
  const facts = new Map<string, Facts>();
  for (const [path, { said, count }] of items) {
    const why = whyUnread(roleOf(said.role), maker.statesOf(said.states), count, maxChildren);
    const family = families.get(path) ?? [];
    const isWhole = family.length === count && family.length <= maxChildren;
    family.sort((one, other) => one.index - other.index);
    const children = why !== undefined ? [] : isWhole ? family.map(({ ref }) => ref) : undefined;
    facts.set(path, maker.make(said, children, why));
  }
  return facts;
}

/** One entry of the list; undefined for one that stands for no element. Throws `malformed`, also for the older form. */
function asItem(value: unknown): Item | undefined {
  const [own, , parent, index, count, interfaces, name, role, description, states] = asList(value);
  const ref = asRef(own);
  const item = {
    parent: asRef(parent)?.path ?? '',
    index: asNumber(index),
    count: asNumber(count),
    said: {
      interfaces: asTexts(interfaces),
      name: asText(name),
      role: asNumber(role),
      description: asText(description),
      states: asNumbers(states),
    },
  };
  return ref === undefined ? undefined : { ref, ...item };
}
