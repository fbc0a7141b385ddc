// SPDX-License-Identifier: Apache-2.0
import { askChildren, askElement, FactMaker } from './ask.ts';
import { askCache } from './cache.ts';
import type { Element, Facts, Ref, Tree } from './element.ts';
import { AccessibilityError } from './error.ts';
import type { AppLine } from './line.ts';
import { type FactSource, Walk } from './walk.ts';

export interface ReadOptions {
  /** Elements that are taken as they are, with their children, instead of being asked again. */
  readonly known?: ReadonlyMap<string, Element>;
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
  return { root: line.root, elements, gaps, complete, fromCache: source.listed > 0 };
}

class AppSource implements FactSource {
  readonly #line: AppLine;
  readonly #known: ReadonlyMap<string, Facts>;
  readonly #patience: { readonly until: number; readonly signal?: AbortSignal };
  readonly #maker: FactMaker;
  readonly askAtMost: number;
  #cached: ReadonlyMap<string, Facts> = new Map();

  constructor(line: AppLine, { known = new Map(), signal }: ReadOptions) {
    const until = line.now() + line.limits.walkMs;
    this.#line = line;
    this.#known = known;
    this.#patience = signal === undefined ? { until } : { until, signal };
    this.askAtMost = known.size === 0 ? 0 : line.limits.askAtMost;
    this.#maker = new FactMaker(line.limits.maxNameLength);
  }

  /** How many elements the app listed in one answer. */
  get listed(): number {
    return this.#cached.size;
  }

  known(path: string): Facts | undefined {
    return this.#known.get(path) ?? this.#cached.get(path);
  }

  async ask(ref: Ref, known: Facts | undefined): Promise<Facts> {
    if (known === undefined) return await askElement(this.#line, ref.path, this.#maker, this.#patience);
    return { ...known, ...(await askChildren(this.#line, ref.path, this.#patience)) };
  }

  async many(): Promise<void> {
    this.#cached = await askCache(this.#line, this.#maker, this.#patience);
  }
}
