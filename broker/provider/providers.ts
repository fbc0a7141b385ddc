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
) => Promise<ProviderResult>;

interface Deps {
  readonly builtins: ReadonlyMap<string, Builtin>;
  readonly call: CallProvider;
  /** How many broken bounds put a provider out of service. */
  readonly strikes: number;
  readonly quarantine: (provider: Provider) => void;
}

/** Who carries out what was permitted: the running apps, and the broker itself for its own capabilities. */
export class Providers {
  readonly #deps: Deps;
  readonly #byConnection = new Map<string, Provider>();
  readonly #strikes = new Map<string, number>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  add(provider: Provider): void {
    this.#byConnection.set(provider.connection, provider);
    this.#strikes.delete(provider.connection);
  }

  remove(connection: string): Provider | undefined {
    const provider = this.#byConnection.get(connection);
    this.#byConnection.delete(connection);
    this.#strikes.delete(connection);
    return provider;
  }

  get(connection: string): Provider | undefined {
    return this.#byConnection.get(connection);
  }

  ofApp(appId: string): Provider | undefined {
    return [...this.#byConnection.values()].find((provider) => provider.appId === appId);
  }

  /**
   * How well the process behind a capability is known. The broker vouches for itself, but a capability of its own that
   * acts on an app is known no better than that app.
   */
  standing(entry: Entry, targets: Targets): ProviderStanding {
    if (entry.source === 'app') return standingOf(this.#providerOf(entry));
    const apps = targets === 'undetermined' ? [] : targets.filter(({ kind }) => kind === 'app');
    const standings = apps.map(({ value }) => standingOf(this.ofApp(value)));
    return {
      bound: standings.every(({ bound }) => bound),
      signed: standings.every(({ signed }) => signed),
    };
  }

  binding(entry: Entry): string {
    return entry.source === 'builtin' ? 'builtin' : (this.#providerOf(entry)?.binding ?? 'unbound');
  }

  async run(action: Action, ready: Prepared, attempt: Attempt): Promise<ProviderResult> {
    const { entry } = ready;
    if (entry.source === 'app') {
      const provider = this.#providerOf(entry);
      if (provider === undefined)
        throw new ProviderFailure('ProviderGone', 'the app is gone', { says: 'failed' });
      return await this.#deps.call(provider, action, ready, attempt);
    }
    const builtin = this.#deps.builtins.get(entry.capability.id);
    if (builtin === undefined)
      throw new ProviderFailure('Failed', 'the broker has no such operation', { says: 'failed' });
    const data = await builtin(JSON.parse(ready.params), attempt.caller);
    return { data, stateAfter: null, undoToken: undefined, bytes: Buffer.byteLength(JSON.stringify(data)) };
  }

  /** Counts a broken bound; an app that does so again and again is put out of service. */
  brokeBound(entry: Entry): void {
    const provider = this.#providerOf(entry);
    if (provider === undefined) return;
    const strikes = (this.#strikes.get(provider.connection) ?? 0) + 1;
    this.#strikes.set(provider.connection, strikes);
    if (strikes >= this.#deps.strikes) this.#deps.quarantine(provider);
  }

  #providerOf(entry: Entry): Provider | undefined {
    return entry.provider === undefined ? undefined : this.#byConnection.get(entry.provider);
  }
}

function standingOf(provider: Provider | undefined): ProviderStanding {
  if (provider === undefined) return { bound: false, signed: false };
  return { bound: provider.binding !== 'unbound', signed: !provider.unsigned };
}
