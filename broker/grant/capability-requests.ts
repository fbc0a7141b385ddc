// SPDX-License-Identifier: Apache-2.0

import { parseCapabilityRequest } from '../../policy/capability-request.ts';
import { PolicyError } from '../../policy/error.ts';
import { checkTarget, type Grant } from '../../policy/grant.ts';
import type { PolicyLimits } from '../../policy/limits.ts';
import type { Decisions } from '../approval/decisions.ts';
import type { AuditEvent } from '../audit/event.ts';
import type { Recorder } from '../audit/records.ts';
import type { Store } from '../store/database.ts';
import { scopedGrant } from './entry.ts';
import { GrantError } from './error.ts';
import type { GrantView } from './grant-form.ts';
import type { Ledger } from './ledger.ts';
import { narrowed } from './narrowed.ts';
import { type DefinitionOf, parseRequestDecision, type RequestDeciders } from './request-decision.ts';
import { type Entry, isOpen, isSettled, isWaiting } from './request-entry.ts';
import {
  grantAskedFor,
  type RequestStanding,
  type RequestView,
  readRequest,
  requestStanding,
  requestView,
} from './request-form.ts';
import { RequestPace } from './request-pace.ts';
import { type RequestRow, RequestRows, type RequestState } from './request-rows.ts';

export interface RequestLimits {
  /** Open requests of one principal. */
  readonly openPerPrincipal: number;
  /** How long one stays open, in milliseconds. */
  readonly openMs: number;
  /** How long its end is told to whoever asked, in milliseconds. */
  readonly endedMs: number;
}

interface Deps {
  readonly store: Pick<Store, 'database' | 'transaction'>;
  readonly records: Recorder;
  readonly ledger: Pick<Ledger, 'admit'>;
  readonly decisions: Pick<Decisions, 'note' | 'earlier'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly newId: () => string;
  readonly limits: RequestLimits;
  readonly policyLimits: PolicyLimits;
  /** Told when an expiry could not be recorded; the next sweep tries again. */
  readonly fault: (error: unknown) => void;
}

/** Who asks: `name` is the configured one, which outlives a process. */
export interface Asker {
  readonly id: string;
  readonly name: string;
}

const MOST_EARLIER = 10;
/** Of one principal, those that are over included: they are kept to be told of, and no longer than there is room. */
const MOST_REMEMBERED = 20;

/**
 * What intelligences ask to be granted, to be decided whenever a person likes. Nothing waits for it. A few are open for
 * each principal, and asking for the same again is the same request.
 */
export class CapabilityRequests {
  readonly #deps: Deps;
  readonly #rows: RequestRows;
  readonly #entries = new Map<string, Entry>();
  readonly #listeners: (() => void)[] = [];
  readonly #pace = new RequestPace();

  /** Throws `StoreCorrupt` for a stored request that cannot be read. */
  constructor(deps: Deps) {
    this.#deps = deps;
    this.#rows = new RequestRows(deps.store);
    const stored = this.#rows.load((body) => parseCapabilityRequest(body, deps.policyLimits));
    for (const [row, request] of stored) this.#entries.set(row.id, { row, request });
  }

  /**
   * Opens a request, or finds the open one with the same words. Resolves with its id once it is on record.
   * @throws PolicyError `RequestInvalid` with the place, `GrantInvalid` for who cannot be granted anything; GrantError
   *   `TooMany`; StoreError
   */
  async open(asker: Asker, value: unknown): Promise<string> {
    const { now, newId, limits, policyLimits } = this.#deps;
    const time = now();
    const { request, body } = readRequest(asker.name, value, policyLimits, time);
    const open = [...this.#entries.values()].filter(
      (entry) => entry.row.name === asker.name && isOpen(entry),
    );
    const same = open.find(({ row }) => row.body === body);
    if (same !== undefined) {
      await same.opening;
      return same.row.id;
    }
    if (open.length >= limits.openPerPrincipal) {
      const most = limits.openPerPrincipal;
      throw new GrantError('TooMany', `${most} requests wait for an answer already: withdraw one`);
    }
    this.#pace.count(asker.name, time);
    this.#makeRoom(asker.name);
    const whose = { id: newId(), principal: asker.id, name: asker.name };
    const times = { openedAt: time, expiresAt: time + limits.openMs };
    const row: RequestRow = { ...whose, ...times, body, state: 'open' };
    const entry: Entry = { row, request };
    this.#entries.set(row.id, entry);
    entry.opening = this.#record(entry, { code: 'RequestOpened' }, () => this.#rows.insert(row));
    try {
      await entry.opening;
    } catch (error) {
      this.#entries.delete(row.id);
      throw error;
    }
    entry.opening = undefined;
    this.#tell();
    return row.id;
  }

  #makeRoom(name: string): void {
    const own = [...this.#entries.values()].filter(({ row }) => row.name === name);
    const over = own.filter((entry) => isSettled(entry) && !isOpen(entry)).map(({ row }) => row.id);
    const excess = own.length + 1 - MOST_REMEMBERED;
    if (excess > 0 && over.length > 0) this.#forget(over.slice(0, excess));
  }

  /** The asker no longer wants it. @throws GrantError `NotFound`, also for another's or one that is over; StoreError */
  async withdraw(asker: Asker, id: string): Promise<void> {
    const entry = this.#entries.get(id);
    if (entry === undefined || entry.row.name !== asker.name || !isWaiting(entry)) {
      throw new GrantError('NotFound', 'there is no such open request of yours');
    }
    await this.#end(entry, { state: 'withdrawn' }, { code: 'RequestWithdrawn' });
  }

  /** The open ones, oldest first; those of one principal and intention stand together. */
  list(): readonly RequestView[] {
    const now = this.#deps.now();
    const batches = new Map<string, Entry[]>();
    for (const entry of this.#entries.values()) {
      if (!isWaiting(entry) || now >= entry.row.expiresAt) continue;
      const { intention } = entry.request;
      const batch = JSON.stringify([entry.row.name, intention ?? entry.row.id]);
      batches.set(batch, [...(batches.get(batch) ?? []), entry]);
    }
    return [...batches.values()]
      .flat()
      .map(({ row, request }) =>
        requestView(row, this.#deps.decisions.earlier(row.name, request.capability, MOST_EARLIER)),
      );
  }

  /** What became of a principal's requests, for as long as that is remembered. */
  of({ name }: Asker): readonly RequestStanding[] {
    return [...this.#entries.values()]
      .filter(({ row, opening }) => row.name === name && opening === undefined)
      .map(({ row, request }) => requestStanding(row, request));
  }

  /**
   * Grants a request, as it is or narrowed, or denies it. `definitionOf` gives the capability's present definition,
   * which the grant is bound to, or throws what is to be answered.
   * @throws GrantError `NotFound`, `Stale`, `TooMany`; PolicyError `RequestInvalid`, `GrantInvalid`; StoreError
   */
  async decide(
    id: string,
    value: unknown,
    deciders: RequestDeciders,
    definitionOf: DefinitionOf,
  ): Promise<GrantView | undefined> {
    const decision = parseRequestDecision(value);
    const entry = this.#waiting(id);
    if (decision.decision === 'deny') {
      const more = { code: 'RequestDenied', decider: deciders.denying };
      await this.#end(entry, { state: 'denied', note: decision.note }, more);
      return undefined;
    }
    // What cannot be granted is refused before a person is troubled, and looked at again after: that may take minutes.
    this.#grantOf(entry, decision.narrowing, definitionOf);
    const decider = await deciders.granting();
    const grant = this.#grantOf(this.#waiting(id), decision.narrowing, definitionOf);
    const admission = this.#deps.ledger.admit(grant, decider);
    try {
      const more = { code: 'RequestGranted', grant: grant.id, decider };
      await this.#end(entry, { state: 'granted' }, more, admission.store);
    } catch (error) {
      admission.release();
      throw error;
    }
    return admission.settled();
  }

  /** Ends what was open too long and forgets what is long over. True where something was. */
  sweep(now: number): boolean {
    const over = [...this.#entries.values()].filter(
      (entry) => isSettled(entry) && now >= entry.row.expiresAt,
    );
    const forgotten = over.filter((entry) => !isOpen(entry));
    for (const entry of over.filter(isOpen)) {
      this.#end(entry, { state: 'expired' }, { code: 'RequestExpired' }).catch(this.#deps.fault);
    }
    if (forgotten.length > 0) this.#forget(forgotten.map(({ row }) => row.id));
    return over.length > 0;
  }

  /** Called after each change of what `list` or `of` say. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  #waiting(id: string): Entry {
    const entry = this.#entries.get(id);
    if (entry === undefined) throw new GrantError('NotFound', 'there is no such request');
    if (isWaiting(entry) && this.#deps.now() < entry.row.expiresAt) return entry;
    throw new GrantError('Stale', 'this request was decided or is over: look at the list again');
  }

  #grantOf({ row, request }: Entry, narrowing: unknown, definitionOf: DefinitionOf): Grant {
    const { now, newId, policyLimits } = this.#deps;
    const time = now();
    const definition = definitionOf(request.capability);
    const asked = grantAskedFor(row.name, request, policyLimits, time);
    checkTarget(asked, definition);
    try {
      const wanted = narrowed(asked, narrowing, policyLimits, time);
      return scopedGrant(newId(), wanted, definition.digest);
    } catch (error) {
      if (!(error instanceof PolicyError)) throw error;
      throw new PolicyError(error.code, error.message, `/grant${error.at ?? ''}`, { cause: error });
    }
  }

  /** Records how a request ended, and with it whatever `within` stores. */
  async #end(
    entry: Entry,
    how: { readonly state: RequestState; readonly note?: string | undefined },
    more: Partial<AuditEvent>,
    within: () => void = () => undefined,
  ): Promise<void> {
    const { decisions, now, limits } = this.#deps;
    const time = now();
    const row: RequestRow = { ...entry.row, ...how, expiresAt: time + limits.endedMs };
    entry.ending = true;
    try {
      await this.#record(entry, more, () => {
        this.#rows.end(row);
        if (how.state === 'granted') decisions.note(row.name, entry.request.capability, 'grant', time);
        if (how.state === 'denied') decisions.note(row.name, entry.request.capability, 'deny', time);
        within();
      });
      entry.row = row;
    } finally {
      entry.ending = false;
    }
    this.#tell();
  }

  #forget(ids: readonly string[]): void {
    for (const id of ids) this.#entries.delete(id);
    this.#tell();
    this.#deps.store.transaction('normal', () => {
      for (const id of ids) this.#rows.delete(id);
    });
  }

  async #record(
    { row, request: { capability } }: Entry,
    more: Partial<AuditEvent>,
    within: () => void,
  ): Promise<void> {
    const { records, now } = this.#deps;
    await records.append(
      { type: 'policy', time: now(), invocation: row.id, principal: row.principal, capability, ...more },
      'full',
      within,
    );
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
