// SPDX-License-Identifier: Apache-2.0
import { REGISTRY } from './bus/names.ts';
import type { CapabilityHandler } from './handler/contract.ts';
import { type LoadedManifest, loadManifest } from './handler/manifest.ts';
import { providerFault, providerInterface } from './handler/provider.ts';
import { register, type Standing } from './handler/registration.ts';
import { Running } from './handler/running.ts';
import { brokerError, noBroker } from './peer/error.ts';
import { BrokerLink } from './peer/link.ts';

// The entry of the package for apps.
export { CapabilityError, type CapabilityFailure } from './handler/capability-error.ts';
export type { CapabilityHandler, CapabilityResult, InvocationContext, Params } from './handler/contract.ts';
export { HandlerError, type HandlerErrorCode } from './handler/error.ts';
export type { Standing } from './handler/registration.ts';
export { BrokerError } from './peer/error.ts';

export interface ServeCapabilitiesOptions {
  /** Bus address. Default: `DBUS_SESSION_BUS_ADDRESS`. */
  readonly address?: string | undefined;
  /** Object path of the provider. Default: `/org/portal/provider`. */
  readonly handlerPath?: string | undefined;
  /** Told of the first standing and of every later one: a broker may come, go and come back. */
  readonly onStanding?: ((standing: Standing) => void) | undefined;
  /** Told of what the handler threw that is no `CapabilityError`. Default: a process warning, without detail. */
  readonly onFault?: ((error: unknown) => void) | undefined;
}

/** An app's capabilities as they are served. */
export interface Served {
  readonly standing: Standing;
  /**
   * Sends an event of a declared type to whoever subscribed. Does nothing while no broker is running: nobody can have
   * subscribed then. Rejects with a BrokerError.
   */
  emitEvent(type: string, payload: unknown): Promise<void>;
  /** Says how far an invocation is: 0 to 1000, and one line for a person. As `emitEvent` without a broker. */
  progress(invocation: string, permille: number, text: string): Promise<void>;
  /** Withdraws the capabilities, tells what runs to stop, and leaves the bus. */
  close(): Promise<void>;
  /** Resolves once: with undefined after `close()`, with the reason where the bus went away. */
  readonly closed: Promise<Error | undefined>;
}

/**
 * Offers an app's capabilities: connects, serves the handler to the broker and to nobody else, registers the manifest,
 * and registers it again whenever a new broker appears. Without a broker it waits for one.
 *
 * Rejects with a BrokerError where there is no bus or the broker refuses the call (a manifest that is not accepted is
 * no such refusal: that is tier 2), and with a HandlerError where the manifest cannot be read.
 */
export async function serveCapabilities(
  handler: CapabilityHandler,
  options: ServeCapabilitiesOptions = {},
): Promise<Served> {
  const manifest = await loadManifest(handler.manifest);
  const link = await BrokerLink.open(options, providerFault(options.onFault ?? warn));
  const app = new ServedApp(handler, manifest, link, options);
  try {
    await app.start();
    return app;
  } catch (error) {
    await app.close();
    throw error;
  }
}

const DEFAULT_PATH = '/org/portal/provider';

class ServedApp implements Served {
  readonly closed: Promise<Error | undefined>;
  readonly #handler: CapabilityHandler;
  readonly #link: BrokerLink;
  readonly #path: string;
  readonly #onStanding: (standing: Standing) => void;
  readonly #report: (error: unknown) => void;
  readonly #running = new Running();
  #manifest: LoadedManifest;
  #standing: Standing = { tier: undefined, cause: noBroker() };

  constructor(
    handler: CapabilityHandler,
    manifest: LoadedManifest,
    link: BrokerLink,
    { handlerPath = DEFAULT_PATH, onStanding = () => undefined, onFault = warn }: ServeCapabilitiesOptions,
  ) {
    this.#handler = handler;
    this.#manifest = manifest;
    this.#link = link;
    this.#path = handlerPath;
    this.#onStanding = onStanding;
    this.#report = onFault;
    this.closed = link.connection.closed;
  }

  get standing(): Standing {
    return this.#standing;
  }

  async start(): Promise<void> {
    await this.#link.wake();
    this.#link.objects.add(this.#path, [
      providerInterface({
        handler: this.#handler,
        running: this.#running,
        declares: (id) => this.#manifest.capabilities.has(id),
        isBroker: (sender) => this.#link.isBroker(sender),
      }),
    ]);
    this.#link.onOwner((owner) => this.#follow(owner));
    const { owner } = this.#link;
    if (owner === undefined) this.#stand(this.#standing);
    else await this.#first(owner);
  }

  async emitEvent(type: string, payload: unknown): Promise<void> {
    if (this.#link.owner === undefined) return;
    await this.#link.call(REGISTRY, 'EmitEvent', 'ss', [type, JSON.stringify(payload ?? null)]);
  }

  async progress(invocation: string, permille: number, text: string): Promise<void> {
    if (this.#link.owner === undefined) return;
    await this.#link.call(REGISTRY, 'Progress', 'sus', [invocation, permille, text]);
  }

  async close(): Promise<void> {
    this.#running.cancelAll();
    // Courtesy: the broker would see us leave the bus anyway.
    if (this.#link.owner !== undefined) await this.#link.call(REGISTRY, 'Unregister').catch(() => undefined);
    await this.#link.close();
  }

  async #first(owner: string): Promise<void> {
    try {
      this.#standWith(owner, await this.#register());
    } catch (error) {
      const { code } = brokerError(error);
      // It left meanwhile: that is what waiting for the next one is for.
      if (code !== 'NoBroker' && code !== 'Disconnected') throw error;
    }
  }

  #follow(owner: string | undefined): void {
    if (owner === undefined) {
      this.#running.cancelAll();
      this.#stand({ tier: undefined, cause: noBroker() });
      return;
    }
    this.#register()
      .catch(
        (error: unknown): Standing => ({
          tier: undefined,
          cause: error instanceof Error ? error : brokerError(error),
        }),
      )
      .then((standing) => this.#standWith(owner, standing))
      .catch(this.#report);
  }

  async #register(): Promise<Standing> {
    this.#manifest = await loadManifest(this.#handler.manifest);
    return await register(this.#link, this.#manifest.text, this.#path);
  }

  /** An answer of a broker that is gone by now means nothing. */
  #standWith(owner: string, standing: Standing): void {
    if (this.#link.owner === owner) this.#stand(standing);
  }

  #stand(standing: Standing): void {
    this.#standing = standing;
    this.#onStanding(standing);
  }
}

function warn(error: unknown): void {
  // The text of an arbitrary error may hold what passed through an invocation.
  process.emitWarning(`a capability failed with ${error instanceof Error ? error.name : typeof error}`);
}
