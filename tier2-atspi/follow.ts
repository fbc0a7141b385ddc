// SPDX-License-Identifier: Apache-2.0
import type { IncomingSignal } from '../dbus/connection.ts';
import type { Tree } from './element.ts';
import { AccessibilityError } from './error.ts';
import { type Change, changeOf, withChanges } from './events.ts';
import type { AppLine } from './line.ts';
import { EVENT_OBJECT, EVENT_WINDOW } from './names.ts';
import { readTree } from './read.ts';

export interface FollowListener {
  /** Told of each new tree. What did not change is the same object in both. */
  changed(tree: Tree, before: Tree | undefined): void;
  /** The app could not be read. It is tried again, unless it is gone. */
  failed(error: AccessibilityError): void;
  /** Something in here broke, or a listener did; following goes on. */
  fault(error: unknown): void;
}

const SECOND_MS = 1000;

/**
 * Keeps the tree of an app as the app says it is: reads it once, and then only what its events name. Events are gathered
 * for a moment; an app that sends more of them than anybody could use is not listened to for a while, and then read anew.
 */
export class Follower {
  readonly #line: AppLine;
  readonly #listener: FollowListener;
  readonly #stop = new AbortController();
  #tree: Tree | undefined;
  /** Whether the next reading begins anew. */
  #whole = true;
  #changes: Change[] = [];
  #working: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #unwatch: (() => Promise<unknown>) | undefined;
  #second = Number.NEGATIVE_INFINITY;
  #heard = 0;

  /** Resolves after the first reading, whatever came of it. */
  static async start(line: AppLine, listener: FollowListener): Promise<Follower> {
    const follower = new Follower(line, listener);
    // Before the reading: what happens meanwhile is heard.
    await follower.#listen();
    await follower.#work();
    return follower;
  }

  private constructor(line: AppLine, listener: FollowListener) {
    this.#line = line;
    this.#listener = listener;
  }

  /** The tree as it is known now; undefined where the app could not be read yet. */
  get tree(): Tree | undefined {
    return this.#tree;
  }

  /** After this the listener is told of nothing more. */
  async stop(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#timer);
    await this.#deafen();
    await this.#working;
  }

  get #stopped(): boolean {
    return this.#stop.signal.aborted;
  }

  async #listen(): Promise<void> {
    const { connection, root } = this.#line;
    const watch = (name: string) =>
      connection.watch({ sender: root.bus, interface: name }, (signal) => this.#hear(signal));
    try {
      const stops = await Promise.all([watch(EVENT_OBJECT), watch(EVENT_WINDOW)]);
      this.#unwatch = () => Promise.all(stops.map((stop) => stop()));
      if (this.#stopped) await this.#deafen();
    } catch (error) {
      this.#listener.fault(error); // the bus is gone, and reading will say so
    }
  }

  async #deafen(): Promise<void> {
    const unwatch = this.#unwatch;
    this.#unwatch = undefined;
    await unwatch?.();
  }

  #hear(signal: IncomingSignal): void {
    if (this.#unwatch === undefined && this.#working === undefined) return; // sent before it was deaf
    const { limits, now, root } = this.#line;
    if (now() - this.#second >= SECOND_MS) {
      this.#second = now();
      this.#heard = 0;
    }
    this.#heard += 1;
    if (this.#heard > limits.eventsPerSecond) {
      this.#overrun();
      return;
    }
    const change = changeOf(signal, root, limits.maxNameLength);
    if (change === undefined) return;
    this.#changes.push(change);
    this.#wake(limits.settleMs);
  }

  #overrun(): void {
    if (this.#unwatch === undefined) return;
    this.#changes = [];
    this.#whole = true;
    void this.#deafen();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#wake(this.#line.limits.deafMs);
  }

  #wake(ms: number): void {
    if (this.#stopped || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      // What is under way goes on to whatever came meanwhile when it is done.
      if (this.#working === undefined) void this.#work();
    }, ms).unref();
  }

  #work(): Promise<void> {
    this.#working = this.#read()
      .catch((error: unknown) => this.#listener.fault(error))
      .finally(() => {
        this.#working = undefined;
        if (this.#changes.length > 0 || (this.#whole && this.#unwatch === undefined))
          this.#wake(this.#line.limits.settleMs);
      });
    return this.#working;
  }

  async #read(): Promise<void> {
    if (this.#unwatch === undefined && !this.#stopped) await this.#listen();
    const changes = this.#changes;
    this.#changes = [];
    const from = this.#whole ? undefined : this.#tree;
    this.#whole = false;
    try {
      const again = new Set(changes.flatMap(({ kind, path }) => (kind === 'again' ? path : [])));
      const { signal } = this.#stop;
      const read = await readTree(this.#line, from === undefined ? { signal } : { from, again, signal });
      this.#publish(withChanges(read, changes));
      if (read.gaps.has('time') || read.gaps.has('silent')) this.#retry();
    } catch (error) {
      if (this.#stopped) return;
      if (!(error instanceof AccessibilityError)) throw error;
      this.#whole = true;
      this.#listener.failed(error);
      if (error.code !== 'gone' && error.code !== 'lost') this.#retry();
    }
  }

  /** Later: an app that is busy, or silent, is not helped by being asked at once. */
  #retry(): void {
    this.#wake(Math.max(this.#line.breaker.waitMs, this.#line.limits.deafMs));
  }

  #publish(tree: Tree): void {
    const before = this.#tree;
    this.#tree = tree;
    if (this.#stopped || (before !== undefined && isSameTree(before, tree))) return;
    this.#listener.changed(tree, before);
  }
}

function isSameTree(one: Tree, other: Tree): boolean {
  if (one.elements.size !== other.elements.size) return false;
  for (const [path, element] of other.elements) if (one.elements.get(path) !== element) return false;
  return true;
}
