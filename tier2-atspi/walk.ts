// SPDX-License-Identifier: Apache-2.0
import type { Element, Facts, Gap, Ref, Tree } from './element.ts';
import { AccessibilityError } from './error.ts';
import type { AccessibilityLimits } from './limits.ts';
import { inTurns } from './turns.ts';

/** Where a walk has its facts from. */
export interface FactSource {
  /** What is known without asking. */
  known(path: string): Facts | undefined;
  /** Asks the element, or for its children alone where the rest is known. Rejects with an AccessibilityError. */
  ask(ref: Ref, known: Facts | undefined): Promise<Facts>;
  /** Called before so many elements are asked one by one: perhaps they can be known at once. */
  expect(unknown: number): Promise<void>;
}

interface Place {
  readonly ref: Ref;
  readonly parent: Ref | undefined;
}

interface Placed extends Place {
  readonly facts: Facts;
  readonly children: readonly Ref[];
  readonly unread: Facts['unread'];
}

/**
 * Reads a tree level by level, so that what a limit cuts off is what lies deepest. An object counts once, wherever it is
 * listed again: a walk ends whatever the app claims to be its own ancestor. Rejects only where the app is gone, or where
 * not even its root could be read; whatever else is missing is a gap.
 */
export class Walk {
  readonly #root: Ref;
  readonly #source: FactSource;
  readonly #limits: AccessibilityLimits;
  readonly #placed = new Map<string, Placed>();
  /** Why an element that its parent lists is not there, by object path. */
  readonly #missing = new Map<string, Gap>();
  #over: 'time' | 'silent' | undefined;

  constructor(root: Ref, source: FactSource, limits: AccessibilityLimits) {
    this.#root = root;
    this.#source = source;
    this.#limits = limits;
  }

  async run(): Promise<Pick<Tree, 'elements' | 'gaps' | 'complete'>> {
    const seen = new Set([this.#root.path]);
    let level: readonly Place[] = [{ ref: this.#root, parent: undefined }];
    for (let depth = 0; level.length > 0; depth += 1) {
      const found = await this.#factsOf(level);
      const next: Place[] = [];
      level.forEach((place, index) => {
        const facts = found[index];
        if (facts !== undefined) next.push(...this.#put(place, facts, depth, seen));
      });
      level = next;
    }
    const elements = this.#elements();
    const gaps = gapsOf(elements.values());
    return { elements, gaps, complete: gaps.size === 0 };
  }

  async #factsOf(level: readonly Place[]): Promise<readonly (Facts | undefined)[]> {
    const unknown = level.filter(({ ref }) => this.#source.known(ref.path) === undefined).length;
    if (unknown > 0 && this.#over === undefined) await this.#orGap(this.#source.expect(unknown));
    return await inTurns(level, this.#limits.pipeline, ({ ref }) => {
      const known = this.#source.known(ref.path);
      if (known?.children !== undefined) return known;
      if (this.#over === undefined) return this.#orGap(this.#source.ask(ref, known), ref);
      this.#missing.set(ref.path, this.#over);
      return undefined;
    });
  }

  #put({ ref, parent }: Place, facts: Facts, depth: number, seen: Set<string>): readonly Place[] {
    const { maxDepth, maxNodes } = this.#limits;
    let { unread } = facts;
    const children: Ref[] = [];
    for (const child of facts.children ?? []) {
      if (seen.has(child.path)) continue;
      if (child.bus !== this.#root.bus) unread = 'foreign';
      else if (depth >= maxDepth) unread = 'depth';
      else if (seen.size >= maxNodes) unread = 'nodes';
      else {
        seen.add(child.path);
        children.push(child);
      }
    }
    this.#placed.set(ref.path, { ref, parent, facts, children, unread });
    return children.map((child) => ({ ref: child, parent: ref }));
  }

  /** A failure of one element is a gap; where the app does not answer in time, nothing more is asked. */
  async #orGap<T>(answer: Promise<T>, ref?: Ref): Promise<T | undefined> {
    try {
      return await answer;
    } catch (error) {
      if (!(error instanceof AccessibilityError)) throw error;
      const gap = GAPS[error.code];
      if (gap === undefined || this.#placed.size === 0) throw error;
      if (gap === 'time' || gap === 'silent') this.#over ??= gap;
      if (ref !== undefined) this.#missing.set(ref.path, gap);
      return undefined;
    }
  }

  /** Only now is it known which of the children answered. An element that is as it was before is the same object. */
  #elements(): ReadonlyMap<string, Element> {
    const elements = new Map<string, Element>();
    for (const [path, { ref, parent, facts, children: listed, unread: why }] of this.#placed) {
      const lost = listed.find((child) => !this.#placed.has(child.path));
      const children = lost === undefined ? listed : listed.filter((child) => this.#placed.has(child.path));
      const unread = lost === undefined ? why : (this.#missing.get(lost.path) ?? why);
      const isSame =
        isElement(facts) &&
        facts.parent?.path === parent?.path &&
        facts.unread === unread &&
        isSameList(facts.children, children);
      elements.set(path, isSame ? facts : { ...facts, ref, parent, children, unread });
    }
    return elements;
  }
}

function gapsOf(elements: Iterable<Element>): ReadonlyMap<Gap, number> {
  const gaps = new Map<Gap, number>();
  for (const { unread } of elements)
    if (unread !== undefined && unread !== 'password') gaps.set(unread, (gaps.get(unread) ?? 0) + 1);
  return gaps;
}

const GAPS: Readonly<Partial<Record<AccessibilityError['code'], Gap>>> = {
  silent: 'silent',
  aborted: 'time',
  refused: 'refused',
  'too-large': 'malformed',
  malformed: 'malformed',
};

function isElement(facts: Facts): facts is Element {
  return 'ref' in facts;
}

function isSameList(one: readonly Ref[], other: readonly Ref[]): boolean {
  return one.length === other.length && one.every(({ path }, index) => path === other[index]?.path);
}
