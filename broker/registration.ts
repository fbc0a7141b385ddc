// SPDX-License-Identifier: Apache-2.0
import type { AppId } from '../keys/app-id.ts';
import { ManifestError } from '../manifests/error.ts';
import type { EventDeclaration, Manifest } from '../manifests/manifest.ts';
import type { Change, Reason, Registry } from '../manifests/registry.ts';
import type { AuditEvent } from './audit/event.ts';
import type { Recorder } from './audit/records.ts';
import { who } from './audit/who.ts';
import type { Session } from './bus/sessions.ts';
import { RegistrationError } from './error.ts';
import type { AppBinding, AppBindingKind } from './identity/app-binding.ts';
import type { Provider, Providers } from './provider/providers.ts';
import { type RunningApp, RunningApps } from './running-apps.ts';
import type { Definitions } from './store/definitions.ts';
import { HistoryError } from './store/error.ts';

/** A manifest that was accepted: by a trusted key, or unsigned where development allows it. */
export interface Accepted {
  readonly manifest: Manifest;
  readonly keyFingerprint: string | undefined;
}

interface Deps {
  readonly registry: Registry;
  readonly providers: Providers;
  readonly definitions: Pick<Definitions, 'rememberManifest'>;
  readonly records: Recorder;
  /** Reads and verifies; throws ManifestError. */
  readonly accept: (manifest: Uint8Array) => Accepted;
  /** Which app a manifest that was not accepted speaks of, where it can be read at all. */
  readonly claimed: (manifest: Uint8Array) => AppId | undefined;
  readonly bind: (session: Session, appId: AppId) => AppBinding;
  readonly isTrusted: (appId: AppId, fingerprint: string) => boolean;
  readonly now: () => number;
  readonly mostProviders: number;
  readonly changed: (change: Change) => void;
  readonly fault: (error: unknown) => string;
}

export interface Registered {
  readonly tier: 1 | 2;
  readonly details: Readonly<Record<string, unknown>>;
}

/**
 * Which running apps offer what. A definition counts only when a trusted key signed it; a running app only makes it
 * available, for as long as its connection lasts. What is not accepted leaves the app in Tier 2, with the reason.
 */
export class Registration {
  readonly #deps: Deps;
  readonly #running: RunningApps;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#running = new RunningApps(deps.mostProviders);
  }

  get epoch(): number {
    return this.#deps.registry.epoch;
  }

  /**
   * Takes a manifest from a running app; replaces this connection's registration as a whole, whatever comes out. Nothing
   * that is in force is given up before the new one is accepted and on record.
   * @throws CallError when there are too many, or the connection has left
   */
  async register(session: Session, text: string, path: string): Promise<Registered> {
    session.requirePresent();
    this.#running.requireRoom(session.connection);
    const bytes = Buffer.from(text, 'utf8');
    let appId: AppId | undefined;
    let binding: AppBindingKind = 'unbound';
    try {
      const accepted = this.#deps.accept(bytes);
      appId = accepted.manifest.appId;
      binding = this.#identify(session, appId);
      this.#running.requireFree(session.connection, appId, binding);
      const { protected: isProtected } = this.#remember(accepted);
      await this.#note(session, { type: 'registered', appId, tier: 1 });
      this.#admitRecorded(session, path, accepted, binding);
      return { tier: 1, details: detailsOf(accepted, binding, isProtected) };
    } catch (error) {
      if (!(error instanceof ManifestError) && !(error instanceof RegistrationError)) throw error;
      return await this.#refuse(session, appId ?? this.#deps.claimed(bytes), binding, error);
    }
  }

  async unregister(session: Session): Promise<void> {
    if (this.drop(session.connection)) await this.#note(session, { type: 'unregistered' });
  }

  /** The connection is gone or no longer offers anything. */
  drop(connection: string): boolean {
    const running = this.#running.remove(connection);
    this.#deps.providers.remove(connection);
    this.#deps.changed(this.#deps.registry.withdraw({ provider: connection }));
    return running;
  }

  /** What the app's key verified is withdrawn; the app is left in Tier 2 until it registers again. */
  keyWithdrawn(appId: AppId): void {
    const found = this.#running.ofApp(appId);
    if (found === undefined) return;
    this.#fall(found, KEY_WITHDRAWN);
    this.#append({ type: 'key-withdrawn', time: this.#deps.now(), appId, tier: 2 });
  }

  /** An app that breaks its own bounds again and again is put out of service. */
  quarantine(provider: Provider): void {
    const found = this.#running.get(provider.connection);
    if (found === undefined) return;
    this.#fall(found, {
      code: 'Quarantined',
      pointer: '',
      message: 'the app broke its declared bounds too often: mend it, restart it and register again',
    });
    this.#append({
      type: 'unregistered',
      time: this.#deps.now(),
      appId: provider.appId,
      code: 'Quarantined',
      tier: 2,
    });
  }

  /** Called when trust may have changed, and before anything is listed: withdraws what is no longer trusted. */
  recheckKeys(): void {
    for (const running of this.#running.all()) this.#isTrusted(running);
  }

  /** Whether the app is there, in Tier 1, at this moment. */
  isAvailable(appId: string): boolean {
    const running = this.#running.ofApp(appId);
    return running !== undefined && this.#isTrusted(running);
  }

  /** What the connection stands for at this moment, if it is a Tier 1 app. */
  standingOf(session: Session): { appId: AppId; events: readonly EventDeclaration[] } | undefined {
    const running = this.#running.get(session.connection);
    if (running === undefined || !this.#isTrusted(running)) return undefined;
    return { appId: running.provider.appId, events: running.events };
  }

  /** Every app that registered or tried to. */
  apps(): readonly Readonly<Record<string, unknown>>[] {
    this.recheckKeys();
    return this.#deps.registry.apps().map(({ appId, tier, binding, capabilities, reason }) => ({
      app_id: appId,
      tier,
      binding,
      capabilities: capabilities.length,
      ...(reason === undefined ? {} : { reason }),
    }));
  }

  /** Watching files misses some changes, so whoever relies on a registration looks at its key. Where it is gone, so is the app. */
  #isTrusted({ provider: { appId }, keyFingerprint }: RunningApp): boolean {
    if (keyFingerprint === undefined || this.#deps.isTrusted(appId, keyFingerprint)) return true;
    this.keyWithdrawn(appId);
    return false;
  }

  /** @throws RegistrationError when something says that the process is another app */
  #identify(session: Session, appId: AppId): AppBindingKind {
    const { binding, contrary } = this.#deps.bind(session, appId);
    if (contrary !== undefined) {
      throw new RegistrationError(
        'AppIdForeign',
        '/app_id',
        `the ${contrary} this process runs in belongs to another app: register from the app itself`,
      );
    }
    return binding;
  }

  /** @throws RegistrationError when the manifest contradicts what the app declared before */
  #remember({ manifest, keyFingerprint }: Accepted): { readonly protected: boolean } {
    // An unsigned manifest proves nothing about its app, so nothing is remembered of it.
    if (keyFingerprint === undefined) return { protected: false };
    try {
      return this.#deps.definitions.rememberManifest({
        appId: manifest.appId,
        version: manifest.version,
        ...(manifest.revision === undefined ? {} : { revision: manifest.revision }),
        manifestDigest: manifest.digest,
        definitions: manifest.capabilities.map(({ id, version, digest }) => ({ id, version, digest })),
      });
    } catch (error) {
      if (error instanceof HistoryError) throw new RegistrationError(error.code, '', error.message);
      throw error;
    }
  }

  /** The record took time, in which others came and went. What is on record and does not come about is recorded as over. */
  #admitRecorded(session: Session, path: string, accepted: Accepted, binding: AppBindingKind): void {
    const { manifest, keyFingerprint } = accepted;
    const { appId } = manifest;
    try {
      session.requirePresent();
      this.#running.requireRoom(session.connection);
      this.#running.requireFree(session.connection, appId, binding);
      if (keyFingerprint !== undefined && !this.#deps.isTrusted(appId, keyFingerprint)) {
        throw new RegistrationError(KEY_WITHDRAWN.code, KEY_WITHDRAWN.pointer, KEY_WITHDRAWN.message);
      }
    } catch (error) {
      this.#append({ type: 'unregistered', time: this.#deps.now(), ...who(session.principal), appId });
      throw error;
    }
    this.#admit(session, path, accepted, binding);
  }

  #admit(session: Session, path: string, accepted: Accepted, binding: AppBindingKind): void {
    const { manifest, keyFingerprint } = accepted;
    const { appId, events } = manifest;
    const { connection } = session;
    const lesserKnown = this.#running.ofApp(appId)?.provider.connection;
    if (lesserKnown !== undefined && lesserKnown !== connection) this.drop(lesserKnown);
    const { registry, providers, changed } = this.#deps;
    changed(registry.register({ manifest, keyFingerprint, provider: connection, binding }));
    const provider = { appId, connection, path, binding, unsigned: keyFingerprint === undefined };
    providers.add(provider);
    this.#running.put({ provider, keyFingerprint, events });
  }

  async #refuse(
    session: Session,
    appId: AppId | undefined,
    binding: AppBindingKind,
    error: ManifestError | RegistrationError,
  ): Promise<Registered> {
    session.requirePresent();
    const { code, pointer, message } = error;
    const reason = { code, pointer, message };
    const previous = this.#running.get(session.connection);
    // What this connection had is gone, as if it had never verified; another process's registration is not its to end.
    if (previous !== undefined) this.#fall(previous, reason);
    if (appId !== undefined && this.#running.ofApp(appId) === undefined) {
      const owner = String(session.principal.uid);
      this.#deps.changed(
        this.#deps.registry.refuse({ appId, provider: session.connection, binding, reason, owner }),
      );
    }
    const named = appId === undefined ? {} : { appId };
    await this.#note(session, { type: 'manifest-rejected', code, tier: 2, ...named });
    return { tier: 2, details: { ...(appId === undefined ? {} : { app_id: appId }), reason } };
  }

  #fall({ provider }: RunningApp, reason: Reason): void {
    this.#running.remove(provider.connection);
    this.#deps.providers.remove(provider.connection);
    this.#deps.changed(this.#deps.registry.withdraw({ appId: provider.appId }, reason));
  }

  async #note(session: Session, event: Omit<AuditEvent, 'time'>): Promise<void> {
    await this.#deps.records.append({ time: this.#deps.now(), ...who(session.principal), ...event }, 'full');
  }

  #append(event: AuditEvent): void {
    this.#deps.records.append(event, 'full').catch(this.#deps.fault);
  }
}

const KEY_WITHDRAWN: Reason = {
  code: 'KeyUnusable',
  pointer: '/app_id',
  message: 'the key that signed this manifest is no longer trusted: install a key and register again',
};

function detailsOf(
  { manifest, keyFingerprint }: Accepted,
  binding: AppBindingKind,
  isProtected: boolean,
): Registered['details'] {
  const warnings = [
    ...(binding === 'unbound'
      ? ['nothing but its own word says that this process is the app, so every invocation asks the person']
      : []),
    ...(isProtected
      ? []
      : [
          'without a signed `revision` or a numeric version an older manifest cannot be told from a newer one',
        ]),
    ...(keyFingerprint === undefined
      ? ['unsigned: accepted for development only, and every write is confirmed']
      : []),
  ];
  return {
    app_id: manifest.appId,
    capabilities: manifest.capabilities.map(({ id }) => id),
    binding,
    warnings,
  };
}
