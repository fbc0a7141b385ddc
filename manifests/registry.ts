// SPDX-License-Identifier: Apache-2.0
import type { AppId } from '../keys/app-id.ts';
import { quote } from '../keys/error.ts';
import type { Capability } from './capability.ts';
import { foldAppId } from './id.ts';
import { REGISTRY_LIMITS, type RegistryLimits } from './limits.ts';
import type { AppStanding, Change, Entry, Epoch, Reason, Refusal, Registration } from './standing.ts';

export type { AppStanding, Change, Entry, Epoch, Reason, Refusal, Registration } from './standing.ts';

/** An app as the registry holds it. */
interface Listed {
  readonly standing: AppStanding;
  readonly entries: readonly Entry[];
  readonly owner: string | undefined;
}

type Apps = ReadonlyMap<AppId, Listed>;

/**
 * What can be called at the moment, as a sequence of states that are never changed once made. Pure data: it asks nobody
 * and tells nobody. Removals count at once; who is pinned to an epoch sees no later addition until the next listing.
 */
export class Registry {
  readonly #limits: RegistryLimits;
  #frozen = false;
  #epoch: Epoch = 0;
  #builtins: readonly Entry[] = [];
  #apps: Apps = new Map();
  #entries: readonly Entry[] = [];
  #byId: ReadonlyMap<string, readonly Entry[]> = new Map();
  /** What each verified app declared last, so no more than apps with trusted keys. */
  readonly #remembered = new Map<AppId, readonly Entry[]>();

  constructor(limits: RegistryLimits = REGISTRY_LIMITS) {
    this.#limits = limits;
  }

  get epoch(): Epoch {
    return this.#epoch;
  }

  /** Only before the freeze: whatever could add one later could be talked into it. */
  addBuiltin(capability: Capability): void {
    const { id, version } = capability;
    if (this.#frozen) throw new Error(`the registry is frozen, ${quote(id)} came too late`);
    if (this.#builtins.some((entry) => versionKey(entry.capability) === versionKey(capability))) {
      throw new Error(`${quote(id)} is compiled in twice in version ${version}`);
    }
    const origin = { appId: undefined, keyFingerprint: undefined, provider: undefined };
    this.#builtins = [...this.#builtins, { capability, source: 'builtin', ...origin, since: this.#epoch }];
  }

  /** Closes the set of the broker's own capabilities; nothing registers or resolves before. */
  freezeBuiltins(): void {
    this.#frozen = true;
    this.#entries = this.#builtins;
    this.#byId = indexed(this.#builtins);
  }

  /**
   * Makes a verified manifest's capabilities available in place of whatever the app had. An app whose id folds to the name
   * of another one that is available ends in Tier 2 instead.
   */
  register(registration: Registration): Change {
    const { manifest, keyFingerprint, provider, binding } = registration;
    const { appId } = manifest;
    const other = this.#sameFold(appId);
    if (other !== undefined) {
      const message = `the app id ${quote(appId)} gives the same capability ids as ${quote(other)}: only one of them can be available`;
      return this.refuse({
        appId,
        provider,
        binding,
        reason: { code: 'AppIdCollides', pointer: '/app_id', message },
      });
    }
    const before = new Map(
      this.#remembered.get(appId)?.map((entry) => [versionKey(entry.capability), entry]),
    );
    const entries = manifest.capabilities.map((capability): Entry => {
      const known = before.get(versionKey(capability));
      const since = known?.capability.digest === capability.digest ? known.since : this.#epoch + 1;
      return { capability, source: 'app', appId, keyFingerprint, provider, since };
    });
    this.#remembered.set(appId, entries);
    const capabilities = [...new Set(manifest.capabilities.map(({ id }) => id))];
    const standing: AppStanding = {
      appId,
      tier: 1,
      provider,
      binding,
      capabilities,
      events: manifest.events,
    };
    return this.#move(this.#with({ standing, entries, owner: undefined }), appId);
  }

  /**
   * Lists an app in Tier 2. What it had is gone: a refused manifest never leaves the one before it in force. Anybody can be
   * refused under any number of names, so of the refused only so many are kept.
   */
  refuse({ appId, provider, binding, reason, owner }: Refusal): Change {
    const standing: AppStanding = { appId, tier: 2, reason, provider, binding, capabilities: [], events: [] };
    return this.#move(this.#trimmed(this.#with({ standing, entries: [], owner })), appId);
  }

  /**
   * Takes away what an app, or a connection that left, has available. With a reason the app stays listed, in Tier 2. A
   * connection that another one has replaced in the meantime takes nothing away.
   */
  withdraw(who: { readonly appId: AppId } | { readonly provider: string }, why?: Reason): Change {
    const found = [...this.#apps.values()].find(({ standing }) =>
      'appId' in who ? standing.appId === who.appId : standing.provider === who.provider,
    );
    if (found === undefined) return { epoch: this.#epoch, added: [], removed: [], app: undefined };
    const { appId, provider, binding } = found.standing;
    if (why !== undefined) return this.refuse({ appId, provider, binding, reason: why });
    return this.#move(new Map([...this.#apps].filter(([listed]) => listed !== appId)), appId);
  }

  /**
   * The one entry of this exact id and version that could be seen at `pinned` and still can. Without a version only where
   * there is a single one to choose.
   */
  resolve(id: string, version: string | undefined, pinned: Epoch): Entry | 'NotFound' | 'Ambiguous' {
    this.#requireFrozen();
    const [first, ...others] = (this.#byId.get(id) ?? []).filter(
      ({ capability, since }) => since <= pinned && (version === undefined || capability.version === version),
    );
    if (first === undefined) return 'NotFound';
    return others.length === 0 ? first : 'Ambiguous';
  }

  /** All that is available and not newer than `pinned`, the current epoch unless given; by id, then by version. */
  list(pinned: Epoch = this.#epoch): readonly Entry[] {
    return [...this.#byId.values()].flat().filter(({ since }) => since <= pinned);
  }

  /** Every app that is listed, in either tier. */
  apps(): readonly AppStanding[] {
    return [...this.#apps.values()].map(({ standing }) => standing);
  }

  standing(appId: AppId): AppStanding | undefined {
    return this.#apps.get(appId)?.standing;
  }

  #requireFrozen(): void {
    if (!this.#frozen) throw new Error('the registry is in use before its own capabilities are complete');
  }

  #sameFold(appId: AppId): AppId | undefined {
    const name = foldAppId(appId);
    return this.apps().find(
      (other) => other.tier === 1 && other.appId !== appId && foldAppId(other.appId) === name,
    )?.appId;
  }

  /** The apps with this one put in. One connection is one app: what it was before goes. */
  #with(listed: Listed): Apps {
    const { appId, provider } = listed.standing;
    const stays = ({ standing }: Listed): boolean =>
      standing.appId !== appId && (provider === undefined || standing.provider !== provider);
    return new Map([...[...this.#apps].filter(([, other]) => stays(other)), [appId, listed]]);
  }

  /** Without the oldest refused app of whoever has too many, or most where there are too many altogether. */
  #trimmed(apps: Apps): Apps {
    const refused = [...apps.values()].filter(({ standing }) => standing.tier === 2);
    const byOwner = [...Map.groupBy(refused, ({ owner }) => owner).values()];
    const [most] = byOwner.toSorted((a, b) => b.length - a.length);
    const oldest = most?.[0]?.standing.appId;
    const { maxRefused, maxRefusedOfOne } = this.#limits;
    if (most === undefined || (refused.length <= maxRefused && most.length <= maxRefusedOfOne)) return apps;
    return new Map([...apps].filter(([appId]) => appId !== oldest));
  }

  #move(apps: Apps, app: AppId): Change {
    this.#requireFrozen();
    const before = this.#byId;
    this.#epoch += 1;
    this.#apps = apps;
    // Who is refused adds and removes nothing, and is not to make everything be sorted again.
    const entries = [...this.#builtins, ...[...apps.values()].flatMap((listed) => listed.entries)];
    if (isSame(entries, this.#entries)) return { epoch: this.#epoch, added: [], removed: [], app };
    this.#entries = entries;
    this.#byId = indexed(entries);
    return {
      epoch: this.#epoch,
      added: missingIn(before, this.#byId),
      removed: missingIn(this.#byId, before),
      app,
    };
  }
}

function versionKey({ id, version }: Capability): string {
  return `${id} ${version}`;
}

function indexed(entries: readonly Entry[]): ReadonlyMap<string, readonly Entry[]> {
  const sorted = entries.toSorted((a, b) => (versionKey(a.capability) < versionKey(b.capability) ? -1 : 1));
  return Map.groupBy(sorted, ({ capability }) => capability.id);
}

function isSame(these: readonly Entry[], those: readonly Entry[]): boolean {
  return these.length === those.length && these.every((entry, index) => entry === those[index]);
}

/** The entries of `those` whose definitions `these` do not hold. */
function missingIn(
  these: ReadonlyMap<string, readonly Entry[]>,
  those: ReadonlyMap<string, readonly Entry[]>,
): readonly Entry[] {
  const present = new Set([...these.values()].flat().map(definitionKey));
  return [...those.values()].flat().filter((entry) => !present.has(definitionKey(entry)));
}

function definitionKey({ capability }: Entry): string {
  return `${versionKey(capability)} ${capability.digest}`;
}
