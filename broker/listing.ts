// SPDX-License-Identifier: Apache-2.0
import { CATEGORIES } from '../manifests/capability.ts';
import type { AppStanding, Entry, Registry } from '../manifests/registry.ts';
import { mayUse } from '../policy/authorise.ts';
import { classify, type Profile } from '../policy/classify.ts';
import { Options } from './bus/options.ts';
import type { Session } from './bus/sessions.ts';
import { bestFirst } from './search.ts';

const DETAILS = ['ids', 'brief', 'full'] as const;
type Detail = (typeof DETAILS)[number];
const SIDE_EFFECTS = ['none', 'read', 'write', 'destructive', 'network', 'system', 'unknown'] as const;
const USUAL = 100;
const MOST = 1000;

/** What a caller may see of the registry. What it may not use is not there. */
export class Listing {
  readonly #registry: Registry;
  readonly #profile: Profile;
  readonly #recheckKeys: () => void;

  /** @param recheckKeys withdraws from the registry what is no longer trusted */
  constructor(registry: Registry, profile: Profile, recheckKeys: () => void) {
    this.#registry = registry;
    this.#profile = profile;
    this.#recheckKeys = recheckKeys;
  }

  /** Lists, and pins the caller to the epoch it has now seen. @throws CallError for a filter it does not know */
  list(given: unknown, session: Session): { epoch: number; text: string } {
    const filter = readFilter(new Options(given));
    this.#recheckKeys();
    const epoch = this.#registry.epoch;
    const visible = this.#registry.list().filter((entry) => this.sees(session, entry));
    const apps = new Set(visible.map(({ appId }) => appId));
    const matching = visible.filter((entry) => matches(entry, filter));
    const found = filter.text === undefined ? matching : bestFirst(matching, filter.text);
    const page = found.slice(filter.offset, filter.offset + filter.limit);
    session.epoch = epoch;
    session.listed = true;
    const concerned = this.#registry
      .apps()
      .filter((app) => matchesApp(app, filter) && (app.tier === 2 || apps.has(app.appId)));
    return {
      epoch,
      text: JSON.stringify({
        total: found.length,
        capabilities: page.map((entry) => this.#describe(entry, filter.detail, filter.locale)),
        apps: concerned.slice(filter.offset, filter.offset + filter.limit).map(describeApp),
        total_apps: concerned.length,
      }),
    };
  }

  sees(session: Session, { capability }: Entry): boolean {
    return mayUse(session.principal, capability, classify(capability, this.#profile));
  }

  #describe({ capability, appId }: Entry, detail: Detail, locale: string | undefined): unknown {
    if (detail === 'ids') return capability.id;
    const { gate, risk } = classify(capability, this.#profile);
    const { locales } = capability;
    const local = locale !== undefined && Object.hasOwn(locales, locale) ? locales[locale] : undefined;
    const brief = {
      id: capability.id,
      version: capability.version,
      ...(appId === undefined ? {} : { app_id: appId }),
      name: local?.name ?? capability.name,
      description: local?.description ?? capability.description,
      category: capability.category,
      side_effects: capability.sideEffects,
      risk,
      gate,
      ...(capability.undoWindowMs === undefined ? {} : { undo_window_ms: capability.undoWindowMs }),
    };
    if (detail === 'brief') return brief;
    const { timeoutMs, maxResultBytes, maxInvocationsPerTurn } = capability.bounds;
    return {
      ...brief,
      parameters: capability.parameters,
      returns: capability.returns,
      bounds: {
        timeout_ms: timeoutMs,
        max_result_bytes: maxResultBytes,
        max_invocations_per_turn: maxInvocationsPerTurn,
      },
      auth_level: capability.authLevel,
      idempotent: capability.idempotent,
      output_trust: capability.outputTrust,
      ...(capability.sideEffectsNote === undefined ? {} : { side_effects_note: capability.sideEffectsNote }),
      digest: capability.digest,
    };
  }
}

interface Filter {
  readonly category: string | undefined;
  readonly appId: string | undefined;
  readonly tier: number | undefined;
  readonly sideEffects: string | undefined;
  readonly text: string | undefined;
  readonly detail: Detail;
  readonly locale: string | undefined;
  readonly offset: number;
  readonly limit: number;
}

function readFilter(options: Options): Filter {
  const filter = {
    category: options.oneOf('category', CATEGORIES),
    appId: options.text('app_id'),
    tier: options.count('tier', 1, 2),
    sideEffects: options.oneOf('side_effects', SIDE_EFFECTS),
    text: options.text('text'),
    detail: options.oneOf('detail', DETAILS) ?? 'brief',
    locale: options.text('locale'),
    offset: options.count('offset', 0, Number.MAX_SAFE_INTEGER) ?? 0,
    limit: options.count('limit', 1, MOST) ?? USUAL,
  };
  options.done();
  return filter;
}

function matches({ capability, appId }: Entry, filter: Filter): boolean {
  return (
    (filter.category === undefined || filter.category === capability.category) &&
    (filter.appId === undefined || filter.appId === appId) &&
    (filter.sideEffects === undefined || filter.sideEffects === capability.sideEffects) &&
    filter.tier !== 2
  );
}

function matchesApp({ appId, tier }: AppStanding, filter: Filter): boolean {
  return (
    (filter.appId === undefined || filter.appId === appId) &&
    (filter.tier === undefined || filter.tier === tier)
  );
}

function describeApp({ appId, tier, reason }: AppStanding): unknown {
  return { app_id: appId, tier, ...(reason === undefined ? {} : { reason }) };
}
