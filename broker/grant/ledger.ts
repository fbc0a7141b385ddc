// SPDX-License-Identifier: Apache-2.0
import { PolicyError } from '../../policy/error.ts';
import { covers, type Grant, type GrantFacts, type WantedGrant } from '../../policy/grant.ts';
import type { PolicyLimits } from '../../policy/limits.ts';
import type { AuditEvent } from '../audit/event.ts';
import type { Recorder } from '../audit/records.ts';
import type { Store } from '../store/database.ts';
import { answers, type Entry, isBefore, isLive, leftOf, operationsOf, scopedGrant, viewOf } from './entry.ts';
import { GrantError } from './error.ts';
import type { GrantView } from './grant-form.ts';
import { GrantRows } from './grant-rows.ts';
import type { Hold } from './hold.ts';
import { narrowed } from './narrowed.ts';

export interface GrantLimits {
  /** Scoped grants of one principal. */
  readonly perPrincipal: number;
  /** Session grants of everybody; beyond them the oldest end. */
  readonly sessions: number;
}

export interface LedgerDeps {
  readonly store: Pick<Store, 'database'>;
  readonly records: Recorder;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly newId: () => string;
  readonly limits: GrantLimits;
  readonly policyLimits: PolicyLimits;
  /** Told when the end of a grant could not be recorded; the next sweep tries again. */
  readonly fault: (error: unknown) => void;
}

/** A grant for which there is room, and which is to be stored within somebody's transaction. */
export interface Admission {
  /** Synchronous, inside the transaction. */
  store(): void;
  /** The transaction is done: from now on the grant answers. */
  settled(): GrantView;
  /** The transaction failed. */
  release(): void;
}

/**
 * What answers in the person's place. Scoped grants are stored with their counts; session grants live in memory and die
 * with the process, the connection, the session or their time. One process holds the store, so what is in memory decides,
 * and each use is counted there before anything is awaited.
 */
export class Ledger {
  readonly #deps: LedgerDeps;
  readonly #entries = new Map<string, Entry>();
  readonly #listeners: (() => void)[] = [];
  readonly #rows: GrantRows;

  /** Throws `StoreCorrupt` for a stored grant that cannot be read. */
  constructor(deps: LedgerDeps) {
    this.#deps = deps;
    this.#rows = new GrantRows(deps.store);
    for (const row of this.#rows.load(deps.policyLimits)) {
      this.#entries.set(row.grant.id, { ...row, held: 0, phase: 'live' });
    }
  }

  /**
   * Takes one use of a grant that covers these facts, at once; undefined where none does. A session grant is taken before
   * a counted one, and of those the one that ends first.
   */
  hold(facts: GrantFacts): Hold | undefined {
    const best = this.#best(facts);
    return best === undefined ? undefined : this.#take(best);
  }

  /** The grant that `hold` would take one use of, as the record names it. */
  answering(facts: GrantFacts): string | undefined {
    const best = this.#best(facts);
    return best === undefined ? undefined : recordedAs(best.grant);
  }

  /**
   * A scoped grant that `decider` gives. It answers once it is on record.
   * @throws GrantError `TooMany`; StoreError
   */
  async add(wanted: WantedGrant, definitionDigest: string, decider: string): Promise<GrantView> {
    const grant = scopedGrant(this.#deps.newId(), wanted, definitionDigest);
    const admission = this.admit(grant, decider);
    try {
      await this.#record('GrantAdded', grant, decider, admission.store);
    } catch (error) {
      admission.release();
      throw error;
    }
    return admission.settled();
  }

  /** Room for a scoped grant whose record is somebody else's to write. @throws GrantError `TooMany` */
  admit(grant: Grant, decider: string): Admission {
    const those = this.#filter(({ kind, principal }) => kind === 'scoped' && principal === grant.principal);
    if (those.length >= this.#deps.limits.perPrincipal) {
      throw new GrantError(
        'TooMany',
        'there are as many grants of this principal as there may be: revoke one',
      );
    }
    const entry: Entry = { grant, grantedBy: decider, used: 0, held: 0, phase: 'opening' };
    this.#entries.set(grant.id, entry);
    return {
      store: () => this.#rows.insert(grant, operationsOf(grant), decider),
      settled: () => {
        entry.phase = 'live';
        this.#tell();
        return viewOf(entry);
      },
      release: () => void this.#entries.delete(grant.id),
    };
  }

  /** A person's answer for a session, which the record of that answer tells of. Beyond the limit the oldest one ends. */
  openSession(grant: Grant, decider: string): void {
    const sessions = this.#filter(({ kind }) => kind === 'session');
    const excess = Math.max(0, sessions.length + 1 - this.#deps.limits.sessions);
    for (const oldest of sessions.slice(0, excess)) this.#entries.delete(oldest.grant.id);
    this.#entries.set(grant.id, { grant, grantedBy: decider, used: 0, held: 0, phase: 'live' });
    this.#tell();
  }

  /**
   * Narrows a scoped grant, at once. What is taken already stays taken. Where it is not stored this rejects, and it holds
   * all the same until the process ends.
   * @throws GrantError `NotFound`; PolicyError `GrantInvalid` for what would widen; StoreError
   */
  async narrow(id: string, given: unknown, decider: string): Promise<GrantView> {
    const entry = this.#entry(id);
    if (entry.grant.kind === 'session') {
      throw new PolicyError('GrantInvalid', 'an answer for a session can only be revoked');
    }
    const { now, policyLimits } = this.#deps;
    const left = { ...entry.grant, operations: leftOf(entry) };
    const narrower = narrowed(left, given, policyLimits, now());
    const operations = entry.used + entry.held + operationsOf(narrower);
    entry.grant = { ...narrower, operations };
    this.#tell();
    await this.#record('GrantNarrowed', entry.grant, decider, () => this.#rows.replace(narrower, operations));
    return viewOf(entry);
  }

  /**
   * Ends a grant, at once; what runs under it already is not stopped. Where that is not stored this rejects, and it holds
   * all the same until the process ends: try again.
   * @throws GrantError `NotFound`; StoreError
   */
  async revoke(id: string, decider: string): Promise<void> {
    const entry = this.#entry(id);
    entry.phase = 'closing';
    this.#tell();
    await this.#record('GrantRevoked', entry.grant, decider, () => this.#rows.delete(id));
    this.#entries.delete(id);
  }

  /** All live grants. */
  list(): readonly GrantView[] {
    const now = this.#deps.now();
    return [...this.#entries.values()].filter((entry) => isLive(entry, now)).map(viewOf);
  }

  /** The live grants that can answer for a principal. */
  of({ id, name }: { readonly id: string; readonly name: string }): readonly GrantView[] {
    return this.list().filter(({ kind, principal }) => principal === (kind === 'session' ? id : name));
  }

  /** Ends the session grants of a connection that left. */
  endSession(connection: string): void {
    this.#drop(({ grant }) => grant.session?.connection === connection);
  }

  /** Lets go of what expired or is used up. True where something was. */
  sweep(now: number): boolean {
    const over = [...this.#entries.values()].filter(
      (entry) => entry.phase === 'live' && entry.grant.kind === 'scoped' && !isLive(entry, now),
    );
    for (const entry of over) this.#close(entry, now);
    if (over.length > 0) this.#tell();
    const dropped = this.#drop((entry) => entry.grant.kind === 'session' && !isLive(entry, now));
    return dropped || over.length > 0;
  }

  /** Called after each change of what `list` says. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  #best(facts: GrantFacts): Entry | undefined {
    let best: Entry | undefined;
    for (const entry of this.#entries.values()) {
      if (entry.grant.capability !== facts.capability || !answers(entry)) continue;
      if ((best === undefined || isBefore(entry.grant, best.grant)) && covers(entry.grant, facts))
        best = entry;
    }
    return best;
  }

  #take(entry: Entry): Hold {
    const { id, kind } = entry.grant;
    let open = true;
    entry.held += 1;
    const end = (): boolean => {
      if (!open) return false;
      open = false;
      entry.held -= 1;
      return true;
    };
    return {
      grant: recordedAs(entry.grant),
      commit: () => {
        if (entry.phase !== 'live') throw new GrantError('NotFound', 'the grant ended meanwhile: ask again');
        if (kind === 'scoped') this.#rows.count(id);
      },
      settled: () => {
        if (!end()) return;
        entry.used += 1;
        if (kind === 'scoped') this.#tell();
      },
      release: () => void end(),
    };
  }

  #close(entry: Entry, now: number): void {
    const { id } = entry.grant;
    entry.phase = 'closing';
    const code = now < entry.grant.expiresAt ? 'GrantUsedUp' : 'GrantExpired';
    this.#record(code, entry.grant, undefined, () => this.#rows.delete(id)).then(
      () => this.#entries.delete(id),
      (error: unknown) => {
        entry.phase = 'live';
        this.#deps.fault(error);
      },
    );
  }

  #drop(isOver: (entry: Entry) => boolean): boolean {
    const over = [...this.#entries.values()].filter(isOver);
    for (const { grant } of over) this.#entries.delete(grant.id);
    if (over.length > 0) this.#tell();
    return over.length > 0;
  }

  #entry(id: string): Entry {
    const entry = this.#entries.get(id);
    if (entry === undefined) throw new GrantError('NotFound', 'there is no such grant, or it is over');
    return entry;
  }

  #filter(wanted: (grant: Grant) => boolean): readonly Entry[] {
    return [...this.#entries.values()].filter(({ grant }) => wanted(grant));
  }

  async #record(
    code: string,
    { id, principal, capability }: Pick<Grant, 'id' | 'principal' | 'capability'>,
    decider: string | undefined,
    within: () => void,
  ): Promise<void> {
    const event: AuditEvent = {
      type: 'policy',
      time: this.#deps.now(),
      code,
      grant: id,
      principal,
      capability,
      ...(decider === undefined ? {} : { decider }),
    };
    await this.#deps.records.append(event, 'full', within);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** A session grant has no id that outlives it. */
function recordedAs({ id, kind }: Grant): string {
  return kind === 'session' ? 'session' : id;
}
