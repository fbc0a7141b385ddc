// SPDX-License-Identifier: Apache-2.0
import type { AppId } from '../keys/app-id.ts';
import { quote } from '../keys/error.ts';
import { foldAppId } from '../manifests/id.ts';
import type { EventDeclaration } from '../manifests/manifest.ts';
import { CallError } from './bus/errors.ts';
import { RegistrationError } from './error.ts';
import type { AppBindingKind } from './identity/app-binding.ts';
import type { Provider } from './provider/providers.ts';

/** One app in Tier 1: the connection that is it, and what its manifest was accepted for. */
export interface RunningApp {
  readonly provider: Provider;
  /** The key that verified its manifest; undefined where development accepted it unsigned. */
  readonly keyFingerprint: string | undefined;
  readonly events: readonly EventDeclaration[];
}

/** The apps in Tier 1, one to a connection, and who may join them. */
export class RunningApps {
  readonly #most: number;
  readonly #byConnection = new Map<string, RunningApp>();

  constructor(most: number) {
    this.#most = most;
  }

  get(connection: string): RunningApp | undefined {
    return this.#byConnection.get(connection);
  }

  ofApp(appId: string): RunningApp | undefined {
    return this.all().find(({ provider }) => provider.appId === appId);
  }

  all(): readonly RunningApp[] {
    return [...this.#byConnection.values()];
  }

  put(app: RunningApp): void {
    this.#byConnection.set(app.provider.connection, app);
  }

  /** Whether there was one. */
  remove(connection: string): boolean {
    return this.#byConnection.delete(connection);
  }

  /** @throws CallError `LimitsExceeded` */
  requireRoom(connection: string): void {
    if (this.#byConnection.has(connection) || this.#byConnection.size < this.#most) return;
    throw new CallError('LimitsExceeded', 'too many apps are registered: let one leave first');
  }

  /**
   * Whoever is there stays: most of what speaks for an app, another process of the same user can fake. Only one for which
   * nothing speaks makes way, for one that has evidence.
   * @throws RegistrationError when the app, or one whose capabilities have the same ids, is registered by another connection
   */
  requireFree(connection: string, appId: AppId, binding: AppBindingKind): void {
    for (const { provider } of this.#byConnection.values()) {
      if (provider.connection === connection) continue;
      if (provider.appId === appId && (provider.binding !== 'unbound' || binding === 'unbound')) {
        throw new RegistrationError(
          'AlreadyRegistered',
          '/app_id',
          'this app is registered by another process: let that one leave first',
        );
      }
      if (provider.appId !== appId && foldAppId(provider.appId) === foldAppId(appId)) {
        const message = `the app id ${quote(appId)} gives the same capability ids as ${quote(provider.appId)}: only one of them can be available`;
        throw new RegistrationError('AppIdCollides', '/app_id', message);
      }
    }
  }
}
