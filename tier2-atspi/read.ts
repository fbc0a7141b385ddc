// SPDX-License-Identifier: Apache-2.0
import { askChildren, askElement, FactMaker } from './ask.ts';
import { askCache } from './cache.ts';
import type { Element, Facts, Ref, Tree } from './element.ts';
import { AccessibilityError } from './error.ts';
import type { AppLine, Patience } from './line.ts';
import { type FactSource, Walk } from './walk.ts';

export interface ReadOptions {
  /** An earlier reading: what it holds is taken as it is, instead of being asked again. */
  readonly from?: Tree;
  /** The object paths of what changed since, to be asked again. */
  readonly again?: ReadonlySet<string>;
  /** Gives up: the reading rejects with `aborted`. */
  readonly signal?: AbortSignal;
}

/**
 * Reads the tree of an app: from its own list of all elements as far as that goes, element by element for the rest.
 * Rejects with `silent`, `gone`, `lost`, `aborted`, `refused` or `malformed` where not even the app itself could be read;
 * whatever else is missing is told by the tree.
 */
export async function readTree(line: AppLine, options: ReadOptions = {}): Promise<Tree> {
  const source = new AppSource(line, options);
  const walk = new Walk(line.root, source, line.limits);
  const { elements, gaps, complete } = await walk.run();
  if (options.signal?.aborted) throw new AccessibilityError('aborted', 'nobody waits for the tree any more');
  const fromCache = source.listed > 0 || options.from?.fromCache === true;
  return { root: line.root, elements, gaps, complete, fromCache };
}

/** What may be there by now, where it was missing for want of an answer. */
const WORTH_ANOTHER_TRY: ReadonlySet<Facts['unread']> = new Set(['time', 'silent']);

class AppSource implements FactSource {
  readonly #line: AppLine;
  readonly #before: ReadonlyMap<string, Element> | undefined;
  readonly #again: ReadonlySet<string>;
  readonly #patience: Patience;
  readonly #maker: FactMaker;
  #listAsked = false;
  #listGrows = true;
  #cached: ReadonlyMap<string, Facts> = new Map();

  constructor(line: AppLine, { from, again = new Set(), signal }: ReadOptions) {
    const until = line.now() + line.limits.walkMs;
    this.#line = line;
    this.#before = from?.elements;
    this.#again = again;
    this.#patience = signal === undefined ? { until } : { until, signal };
    this.#maker = new FactMaker(line.limits.maxNameLength);
  }

  /** How many elements the app listed in one answer. */
  get listed(): number {
    return this.#cached.size;
  }

  known(path: string): Facts | undefined {
    const before = this.#again.has(path) ? undefined : this.#before?.get(path);
    if (before !== undefined && !WORTH_ANOTHER_TRY.has(before.unread)) return before;
    return this.#cached.get(path);
  }

  async ask(ref: Ref, known: Facts | undefined): Promise<Facts> {
    if (known === undefined) return await askElement(this.#line, ref.path, this.#maker, this.#patience);
    return { ...known, ...(await askChildren(this.#line, ref.path, this.#patience)) };
  }

  /**
   * Asks for the app's list, at first and again for as long as it grows: GTK 4 lists an element only after somebody
   * asked for its parent's children.
   */
  async expect(unknown: number): Promise<void> {
    const isFirst = this.#before === undefined && !this.#listAsked;
    if (!this.#listGrows || (!isFirst && unknown <= this.#line.limits.askAtMost)) return;
    this.#listAsked = true;
    const before = this.#cached.size;
    this.#cached = await askCache(this.#line, this.#maker, this.#patience);
    this.#listGrows = this.#cached.size > before;
  }
}
