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
  /** How many elements are asked one by one before `many`. */
  readonly askAtMost: number;
  /** Called once, when more than those would have to be asked: perhaps all can be known at once. */
  many(): Promise<void>;
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
  readonly #gaps = new Map<Gap, number>();
  #asked = 0;
  #askedMany = false;
  #over = false;

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
    return { elements: this.#elements(), gaps: this.#gaps, complete: this.#gaps.size === 0 };
  }

  async #factsOf(level: readonly Place[]): Promise<readonly (Facts | undefined)[]> {
    const unknown = () =>
      level.filter(({ ref }) => this.#source.known(ref.path)?.children === undefined).length;
    if (!this.#askedMany && this.#asked + unknown() > this.#source.askAtMost) {
      this.#askedMany = true;
      await this.#orGap(this.#source.many());
    }
    this.#asked += unknown();
    return await inTurns(level, this.#limits.pipeline, ({ ref }) => {
      const known = this.#source.known(ref.path);
      if (known?.children !== undefined) return known;
      if (this.#over) return this.#miss('time');
      return this.#orGap(this.#source.ask(ref, known));
    });
  }

  #put({ ref, parent }: Place, facts: Facts, depth: number, seen: Set<string>): readonly Place[] {
    const { maxDepth, maxNodes } = this.#limits;
    let { unread } = facts;
    const children: Ref[] = [];
    for (const child of unread === undefined ? (facts.children ?? []) : []) {
      if (seen.has(child.path)) continue;
      if (child.bus !== this.#root.bus) this.#miss('foreign');
      else if (depth >= maxDepth) unread = 'depth';
      else if (seen.size >= maxNodes) unread = 'nodes';
      else {
        seen.add(child.path);
        children.push(child);
      }
    }
    if (unread !== undefined && unread !== 'password') this.#miss(unread);
    this.#placed.set(ref.path, { ref, parent, facts, children, unread });
    return children.map((child) => ({ ref: child, parent: ref }));
  }

  /** A failure of one element is a gap; where the app does not answer at all, nothing more is asked. */
  async #orGap<T>(answer: Promise<T>): Promise<T | undefined> {
    try {
      return await answer;
    } catch (error) {
      if (!(error instanceof AccessibilityError)) throw error;
      const gap = GAPS[error.code];
      if (gap === undefined || this.#placed.size === 0) throw error;
      if (gap === 'time' || gap === 'silent') {
        if (this.#over) return undefined;
        this.#over = true;
      }
      return this.#miss(gap);
    }
  }

  #miss(gap: Gap): undefined {
    this.#gaps.set(gap, (this.#gaps.get(gap) ?? 0) + 1);
  }

  /** Only now is it known which of the children answered. An element that is as it was before is the same object. */
  #elements(): ReadonlyMap<string, Element> {
    const elements = new Map<string, Element>();
    for (const [path, { ref, parent, facts, children: listed, unread }] of this.#placed) {
      const children = listed.every((child) => this.#placed.has(child.path))
        ? listed
        : listed.filter((child) => this.#placed.has(child.path));
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
