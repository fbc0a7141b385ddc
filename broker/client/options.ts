// SPDX-License-Identifier: Apache-2.0
import { type Variant, variant } from '../../dbus/values.ts';

/** An `a{sv}` for sending. */
export type Dictionary = Readonly<Record<string, Variant>>;

type Type = 's' | 'as' | 'b' | 'u' | 't';

/** Options under their names on the bus, with their types there; what is undefined is left out. */
export function dictionary(
  entries: Readonly<Record<string, readonly [type: Type, value: unknown]>>,
): Dictionary {
  const given = Object.entries(entries).filter(([, [, value]]) => value !== undefined);
  return Object.fromEntries(given.map(([key, [type, value]]) => [key, variant(type, value)]));
}

/** What an intelligence may say about an intent; nothing in it says who it is or that anybody approved. */
export interface IntentOptions {
  /** `M.m`, matched exactly; needed only where several versions are available. */
  readonly version?: string | undefined;
  /** Must equal the declared category. */
  readonly category?: string | undefined;
  /** Nothing acts from a dream or a replay; a connection that once said either stays so. */
  readonly context?: 'live' | 'dream' | 'replay' | undefined;
  /** Must equal the target that the parameters would touch. */
  readonly target?: string | undefined;
  readonly session?: string | undefined;
  readonly turn?: string | undefined;
  readonly intention?: string | undefined;
  /** The caller's words to the person. */
  readonly reason?: string | undefined;
  readonly evidence?: readonly string[] | undefined;
  /** Where the wish came from, such as a plan step. */
  readonly origin?: string | undefined;
  /** A person must confirm this, whatever the policy says. */
  readonly requireApproval?: boolean | undefined;
  /** Milliseconds; tightens the capability's own bound. */
  readonly timeoutMs?: number | undefined;
}

export function intentOptions(options: IntentOptions, token?: string): Dictionary {
  return dictionary({
    handle_token: ['s', token],
    version: ['s', options.version],
    category: ['s', options.category],
    context: ['s', options.context],
    target: ['s', options.target],
    session: ['s', options.session],
    turn: ['s', options.turn],
    intention: ['s', options.intention],
    reason: ['s', options.reason],
    evidence: ['as', options.evidence],
    origin: ['s', options.origin],
    require_approval: ['b', options.requireApproval],
    timeout_ms: ['u', options.timeoutMs],
  });
}

export interface ListFilter {
  readonly category?: string | undefined;
  readonly appId?: string | undefined;
  readonly tier?: 1 | 2 | undefined;
  readonly sideEffects?: string | undefined;
  /** Words looked for in id, name and description; the best match comes first. */
  readonly text?: string | undefined;
  readonly detail?: 'ids' | 'brief' | 'full' | undefined;
  readonly locale?: string | undefined;
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
}

export function listFilter(filter: ListFilter): Dictionary {
  return dictionary({
    category: ['s', filter.category],
    app_id: ['s', filter.appId],
    tier: ['u', filter.tier],
    side_effects: ['s', filter.sideEffects],
    text: ['s', filter.text],
    detail: ['s', filter.detail],
    locale: ['s', filter.locale],
    offset: ['u', filter.offset],
    limit: ['u', filter.limit],
  });
}
