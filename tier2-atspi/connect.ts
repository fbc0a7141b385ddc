// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import type { Connection } from '../dbus/connection.ts';
import { serviceOwner } from '../dbus/service-owner.ts';
import { asText } from './answers.ts';
import { AccessibilityError } from './error.ts';
import { type App, Link, type LinkListener, type LinkOptions } from './link.ts';
import { A11Y_BUS, A11Y_BUS_PATH, METHOD } from './names.ts';

export type { App } from './link.ts';

export interface AccessibilityOptions extends Omit<LinkOptions, 'address'> {
  /** The session bus, where the accessibility bus is to be found. */
  readonly session: Connection;
}

const FIRST_RETRY_MS = 100;

/** The apps of a session that can be read, for as long as the session lasts: a new accessibility bus is found again. */
export class Accessibility {
  readonly #options: AccessibilityOptions;
  readonly #apps = new Map<string, App>();
  readonly #stop = new AbortController();
  readonly #connected: Promise<void>;
  readonly #running: Promise<void>;
  #link: Link | undefined;

  /** Resolves when the apps that are there are known. Rejects with `no-bus` where there is no accessibility bus. */
  static async start(options: AccessibilityOptions): Promise<Accessibility> {
    const accessibility = new Accessibility(options);
    await accessibility.#connected;
    return accessibility;
  }

  private constructor(options: AccessibilityOptions) {
    this.#options = options;
    this.#connected = this.#connect();
    this.#running = this.#connected.then(
      () => this.#keepConnected(),
      () => undefined, // told by `start`
    );
  }

  /** By unique name. */
  get apps(): ReadonlyMap<string, App> {
    return this.#apps;
  }

  /** Closes the connection; every app vanishes. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#link?.connection.close();
    await this.#running;
  }

  async #connect(): Promise<void> {
    const { limits, now, listener, onFault } = this.#options;
    const address = await this.#address();
    const told: LinkListener = {
      appeared: (app) => {
        this.#apps.set(app.bus, app);
        listener.appeared(app);
      },
      vanished: (app) => {
        this.#apps.delete(app.bus);
        listener.vanished(app);
      },
    };
    try {
      this.#link = await Link.open({ address, limits, now, listener: told, onFault });
    } catch (cause) {
      throw new AccessibilityError('no-bus', 'the accessibility bus cannot be used', { cause });
    }
    if (this.#stop.signal.aborted) await this.#link.connection.close();
  }

  async #address(): Promise<string> {
    const { session, limits } = this.#options;
    const patience = { timeoutMs: limits.callMs, signal: this.#stop.signal };
    try {
      const destination = await serviceOwner(session, A11Y_BUS, patience);
      const { interface: name, member } = METHOD.getAddress;
      const call = { destination, path: A11Y_BUS_PATH, interface: name, member };
      const [address] = await session.call({ ...call, ...patience });
      return asText(address);
    } catch (cause) {
      throw new AccessibilityError(
        'no-bus',
        'there is no accessibility bus in this session; install `at-spi2-core`',
        { cause },
      );
    }
  }

  async #keepConnected(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await this.#link?.connection.closed;
      for (let wait = FIRST_RETRY_MS; !signal.aborted; wait *= 2) {
        const { reconnectAtMostMs } = this.#options.limits;
        await delay(Math.min(wait, reconnectAtMostMs), undefined, { signal }).catch(() => undefined);
        if (signal.aborted || (await this.#tryConnect())) break;
      }
    }
  }

  async #tryConnect(): Promise<boolean> {
    try {
      await this.#connect();
      return true;
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#options.onFault(error);
      return false;
    }
  }
}
