// SPDX-License-Identifier: Apache-2.0
import { type Connection, connect } from '../dbus/connection.ts';
import { DBusError } from '../dbus/error.ts';
import { BUS_NAME, BUS_PATH } from '../dbus/messages.ts';
import { asNumber, asRefs } from './answers.ts';
import type { Ref } from './element.ts';
import type { AccessibilityLimits } from './limits.ts';
import { AppLine } from './line.ts';
import { DESKTOP_PATH, EVENT_OBJECT, EVENTS, METHOD, type Method, REGISTRY, REGISTRY_PATH } from './names.ts';

/** An app on the accessibility bus: one connection there, and what says who it is. */
export interface App {
  /** Its unique name, which is another one than on the session bus. */
  readonly bus: string;
  readonly root: Ref;
  /** The process behind the connection, as the bus knows it. */
  readonly pid: number;
  /** The way to ask it. */
  readonly line: AppLine;
}

export interface LinkListener {
  appeared(app: App): void;
  vanished(app: App): void;
}

export interface LinkOptions {
  readonly address: string;
  readonly limits: AccessibilityLimits;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  /** Told of the apps, those that are already there first. When the accessibility bus goes, all of them vanish. */
  readonly listener: LinkListener;
  /** Told of what did not work and is tried again. */
  readonly onFault: (error: unknown) => void;
}

/** One connection to the accessibility bus, and the apps that the registry there lists, for as long as it lasts. */
export class Link {
  readonly connection: Connection;
  readonly #options: LinkOptions;
  readonly #apps = new Map<string, App>();
  readonly #leaving = new Map<string, () => void>();
  #listing: Promise<void> | undefined;
  #listAgain = false;
  #closed = false;

  /** Resolves when the apps that are there have been told of. Rejects with a DBusError or an AccessibilityError. */
  static async open(options: LinkOptions): Promise<Link> {
    const { maxAnswerBytes: maxIncomingBytes, maxAnswerValues: maxValues } = options.limits;
    const connection = await connect({
      address: options.address,
      limits: { maxIncomingBytes, maxValues },
      onFault: options.onFault,
    });
    const link = new Link(connection, options);
    try {
      await link.#start();
      return link;
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  private constructor(connection: Connection, options: LinkOptions) {
    this.connection = connection;
    this.#options = options;
    // Nobody can be asked any more, so none of them is there.
    void connection.closed.then(() => {
      this.#closed = true;
      for (const bus of [...this.#apps.keys()]) this.#left(bus);
    });
  }

  async #start(): Promise<void> {
    await Promise.all(
      EVENTS.map((event) => this.#ask(REGISTRY, REGISTRY_PATH, METHOD.registerEvent, [event])),
    );
    // A new registry knows none of what the old one was told: begin anew.
    this.connection.watchName(REGISTRY, () => void this.connection.close());
    const match = {
      sender: REGISTRY,
      path: DESKTOP_PATH,
      interface: EVENT_OBJECT,
      member: 'ChildrenChanged',
    };
    // What such a signal says is not looked at: the list itself is newer.
    await this.connection.watch(match, () => this.#listSoon());
    await this.#list();
  }

  /** A list that could not be had is asked for again: nothing else would tell of what changed. */
  #listSoon(): void {
    this.#list().catch((error: unknown) => {
      if (this.#closed) return;
      this.#options.onFault(error);
      setTimeout(() => this.#listSoon(), this.#options.limits.callMs).unref();
    });
  }

  /** Compares with what the registry lists now; once more where something changed meanwhile. */
  #list(): Promise<void> {
    this.#listAgain = true;
    this.#listing ??= this.#listOnce().finally(() => {
      this.#listing = undefined;
    });
    return this.#listing;
  }

  async #listOnce(): Promise<void> {
    while (this.#listAgain) {
      this.#listAgain = false;
      const [children] = await this.#ask(REGISTRY, DESKTOP_PATH, METHOD.getChildren, []);
      const roots = new Map<string, Ref>();
      for (const root of asRefs(children)) {
        // An app may list whatever it wants here. One connection is one app; a name that others can take over is none.
        if (root.bus.startsWith(':') && root.bus !== this.connection.name && !roots.has(root.bus))
          roots.set(root.bus, root);
      }
      for (const bus of this.#apps.keys()) if (!roots.has(bus)) this.#left(bus);
      const room = this.#options.limits.maxApps - this.#apps.size;
      const fresh = [...roots.values()].filter(({ bus }) => !this.#apps.has(bus)).slice(0, room);
      await Promise.all(fresh.map((root) => this.#add(root)));
    }
  }

  async #add(root: Ref): Promise<void> {
    const { limits, now, listener } = this.#options;
    let present = true;
    const stop = this.connection.watchName(root.bus, () => {
      present = false;
      this.#left(root.bus);
    });
    const pid = await this.#pidOf(root.bus).catch((error: unknown) => {
      stop();
      throw error;
    });
    if (!present || pid === undefined) {
      stop();
      return;
    }
    const line = new AppLine({ connection: this.connection, root, limits, now });
    const app: App = { bus: root.bus, root, pid, line };
    this.#leaving.set(root.bus, stop);
    this.#apps.set(root.bus, app);
    listener.appeared(app);
  }

  /** Undefined where the bus knows nobody of that name: the registry lists what it was told, not what is there. */
  async #pidOf(bus: string): Promise<number | undefined> {
    const question: Method = { interface: BUS_NAME, member: 'GetConnectionUnixProcessID', in: 's', out: 'u' };
    try {
      const [pid] = await this.#ask(BUS_NAME, BUS_PATH, question, [bus]);
      return asNumber(pid);
    } catch (error) {
      if (error instanceof DBusError && error.code === 'remote') return undefined;
      throw error;
    }
  }

  #left(bus: string): void {
    const app = this.#apps.get(bus);
    this.#leaving.get(bus)?.();
    this.#leaving.delete(bus);
    this.#apps.delete(bus);
    if (app !== undefined) this.#options.listener.vanished(app);
  }

  async #ask(
    destination: string,
    path: string,
    { interface: name, member, in: signature }: Method,
    body: readonly unknown[],
  ): Promise<readonly unknown[]> {
    const timeoutMs = this.#options.limits.callMs;
    return await this.connection.call({
      destination,
      path,
      interface: name,
      member,
      signature,
      body,
      timeoutMs,
    });
  }
}
