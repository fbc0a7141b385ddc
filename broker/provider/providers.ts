// SPDX-License-Identifier: Apache-2.0
import type { AppId } from '../../keys/app-id.ts';
import type { Entry } from '../../manifests/registry.ts';
import type { ProviderStanding } from '../../policy/decide.ts';
import type { Targets } from '../../policy/target.ts';
import type { Attempt, Caller } from '../intent/attempt.ts';
import type { Action } from '../intent/handle.ts';
import type { Prepared } from '../intent/prepare.ts';
import { ProviderFailure, type ProviderResult } from './result.ts';

/** A running app that registered: where it is called, and how it is known to be that app. */
export interface Provider {
  readonly appId: AppId;
  /** Its unique name: it is never called by anything a later process could take over. */
  readonly connection: string;
  readonly path: string;
  readonly binding: string;
  /** Accepted without a signature, for development. */
  readonly unsigned: boolean;
}

/** One of the broker's own capabilities. Runs in this process, so it is given nothing but its validated parameters. */
export type Builtin = (params: unknown, caller: Caller) => unknown;

/** How an app is called over the bus; see `invoke.ts`. */
export type CallProvider = (
  provider: Provider,
  action: Action,
  ready: Prepared,
  attempt: Attempt,
  /** Aborts when the provider is none any more. */
  left: AbortSignal,
) => Promise<ProviderResult>;

interface Deps {
  readonly builtins: ReadonlyMap<string, Builtin>;
  readonly call: CallProvider;
  /** How many broken bounds put a provider out of service. */
  readonly strikes: number;
  readonly quarantine: (provider: Provider) => void;
}

interface Registered {
  readonly provider: Provider;
  readonly left: AbortController;
  /** Bounds it broke. */
  strikes: number;
}

/** Who carries out what was permitted: the running apps, and the broker itself for its own capabilities. */
export class Providers {
  readonly #deps: Deps;
  readonly #byConnection = new Map<string, Registered>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Takes the place of what this connection had before. */
  add(provider: Provider): void {
    this.remove(provider.connection);
    this.#byConnection.set(provider.connection, { provider, left: new AbortController(), strikes: 0 });
  }

  /** Whatever it is running is cancelled: nobody believes what it answers from now on. */
  remove(connection: string): Provider | undefined {
    const registered = this.#byConnection.get(connection);
    this.#byConnection.delete(connection);
    registered?.left.abort();
    return registered?.provider;
  }

  get(connection: string): Provider | undefined {
    return this.#byConnection.get(connection)?.provider;
  }

  ofApp(appId: string): Provider | undefined {
    const found = [...this.#byConnection.values()].find(({ provider }) => provider.appId === appId);
    return found?.provider;
  }

  /**
   * How well the process behind a capability is known. The broker vouches for itself, but a capability of its own that
   * acts on an app is known no better than that app.
   */
  standing(entry: Entry, targets: Targets): ProviderStanding {
    if (entry.source === 'app') return standingOf(this.#registeredFor(entry)?.provider);
    const standings = this.#appsMeant(entry, targets).map(standingOf);
    return {
      bound: standings.every(({ bound }) => bound),
      signed: standings.every(({ signed }) => signed),
    };
  }

  /** Where it is open which app is meant, it could be any. */
  #appsMeant({ capability }: Entry, targets: Targets): readonly (Provider | undefined)[] {
    if (targets !== 'undetermined')
      return targets.filter(({ kind }) => kind === 'app').map(({ value }) => this.ofApp(value));
    if (!capability.targets.some(({ kind }) => kind === 'app')) return [];
    return [...this.#byConnection.values()].map(({ provider }) => provider);
  }

  binding(entry: Entry): string {
    return entry.source === 'builtin'
      ? 'builtin'
      : (this.#registeredFor(entry)?.provider.binding ?? 'unbound');
  }

  async run(action: Action, ready: Prepared, attempt: Attempt): Promise<ProviderResult> {
    const { entry } = ready;
    if (entry.source === 'app') {
      const registered = this.#registeredFor(entry);
      if (registered === undefined)
        throw new ProviderFailure('ProviderGone', 'the app is gone', { says: 'failed' });
      const { provider, left } = registered;
      return await this.#deps.call(provider, action, ready, attempt, left.signal);
    }
    const builtin = this.#deps.builtins.get(entry.capability.id);
    if (builtin === undefined)
      throw new ProviderFailure('Failed', 'the broker has no such operation', { says: 'failed' });
    const data = await builtin(JSON.parse(ready.params), attempt.caller);
    return { data, stateAfter: null, undoToken: undefined, bytes: Buffer.byteLength(JSON.stringify(data)) };
  }

  /** Counts a broken bound; an app that does so again and again is put out of service. */
  brokeBound(entry: Entry): void {
    const registered = this.#registeredFor(entry);
    if (registered === undefined) return;
    registered.strikes += 1;
    if (registered.strikes >= this.#deps.strikes) this.#deps.quarantine(registered.provider);
  }

  /** A connection that registered as another app since does not answer for this one. */
  #registeredFor(entry: Entry): Registered | undefined {
    const registered = entry.provider === undefined ? undefined : this.#byConnection.get(entry.provider);
    return registered?.provider.appId === entry.appId ? registered : undefined;
  }
}

function standingOf(provider: Provider | undefined): ProviderStanding {
  if (provider === undefined) return { bound: false, signed: false };
  return { bound: provider.binding !== 'unbound', signed: !provider.unsigned };
}
