// SPDX-License-Identifier: Apache-2.0
import type { Outcome } from '../intent/outcome.ts';
import { Refusal } from '../intent/stage.ts';
import type { Approving, Verdict } from './choice.ts';
import type { Confirmers, ConfirmLimits } from './confirmers.ts';
import { Deciding } from './deciding.ts';
import type { Decisions } from './decisions.ts';
import { ApprovalError } from './error.ts';
import { listed, type PendingRow } from './listed.ts';
import { PendingList, type QuestionQuotas, stale } from './pending-list.ts';
import type { PendingStore } from './pending-store.ts';
import type { Question } from './question.ts';
import type { Waiting } from './restore.ts';
import { type Answer, type Hooks, isOpen, newRow, type Row } from './row.ts';
import { Screen } from './screen.ts';
import { SessionDenials } from './session-denials.ts';

interface Deps {
  readonly confirmers: Confirmers;
  readonly store: PendingStore;
  readonly decisions: Pick<Decisions, 'note' | 'earlier'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Runs something once, later; the answer stops it. */
  readonly after: (ms: number, run: () => void) => () => void;
  readonly limits: ConfirmLimits;
  readonly quotas: QuestionQuotas;
  readonly locale: string;
  /** A fault that must not reach whoever is served: logs it. */
  readonly fault: (error: unknown) => void;
}

/** Earlier decisions shown with an entry. */
const MOST_EARLIER = 5;

/**
 * What waits for a person: one list, answered by whichever surface answers first, a confirmer on the screen or an
 * operator's tool that watches the list. The first answer wins; each later one is told that it came too late.
 */
export class ApprovalDesk {
  readonly #deps: Deps;
  readonly #list: PendingList;
  readonly #screen: Screen;
  readonly #deciding: Deciding;
  readonly #watchers = new Set<string>();
  readonly #denials = new SessionDenials();
  #rechecking = false;
  #recheckAgain = false;

  constructor(deps: Deps) {
    const changed = (row: Row) => this.#screen.changed(row);
    this.#deps = deps;
    this.#list = new PendingList({ ...deps, changed });
    this.#deciding = new Deciding({
      ...deps,
      list: this.#list,
      changed,
      deniedForSession: ({ connection, capability, targets }) => {
        this.#denials.add(connection, capability, targets);
        this.recheck();
      },
    });
    this.#screen = new Screen({
      ...deps,
      watched: () => this.#watchers.size > 0,
      answered: (row, verdict, decider) => this.#answeredOnScreen(row, verdict, decider),
      unanswered: (row, why) => this.#list.unanswered(row, why),
      failed: (row, error) => this.#list.failed(row, error),
    });
  }

  /** Puts a question before a person and waits for the answer, or for how the same question ends that waits already. */
  async ask(question: Question, hooks: Hooks): Promise<Answer> {
    let known = false;
    // Nothing is awaited between finding nothing of the kind and being in the list: two of a kind never miss each other.
    for (let same = this.#list.same(question); same !== undefined; same = this.#list.same(question)) {
      const outcome = await this.#join(same, known, hooks);
      known = true;
      if (outcome === undefined) return { kind: 'withdrawn' };
      // Whoever asked first has given up; this one has not, and so the question is its own now.
      if (outcome.code !== 'Withdrawn') return { kind: 'joined', outcome };
    }
    if (!this.#list.hasRoom(question)) return { kind: 'too-many' };
    if (this.#deps.confirmers.current() === undefined && this.#watchers.size === 0) {
      return { kind: 'no-confirmer' };
    }
    const since = this.#deps.now();
    const row = newRow(question, hooks, { since, expiresAt: since + this.#deps.limits.deadlineMs });
    await this.#list.record(row);
    this.#list.begin(row);
    this.#show(row);
    return await row.answer.promise;
  }

  /** Goes on waiting for what waited before a restart. It can be approved once what it would call is back. */
  async resume({ stored, question }: Waiting, hooks: Hooks): Promise<Answer> {
    const { id, state, digest, since, expiresAt } = stored;
    const open = state === 'later' ? 'later' : 'pending';
    const kept = { state: open, since, expiresAt, recorded: true, dormant: true, patient: true } as const;
    const row = newRow({ ...question, invocation: id, digest }, hooks, kept);
    this.#list.begin(row);
    this.#list.sweep();
    this.recheck();
    return await row.answer.promise;
  }

  /** A connection that asked for the list decides from it, so it is somebody who can be asked, until it leaves. */
  watch(connection: string): void {
    this.#watchers.add(connection);
    this.#screen.lookAgain();
  }

  /** The connection has left the bus: it watches nothing any more, and what it was denied for its time is forgotten. */
  connectionGone(connection: string): void {
    this.#denials.forget(connection);
    if (this.#watchers.delete(connection)) this.#screen.lookAgain();
  }

  /** Whether the person denied this for as long as the connection lasts. */
  isDenied(connection: string, capability: string, targets: Question['targets']): boolean {
    return this.#denials.has(connection, capability, targets);
  }

  /** Oldest first: what can be decided, or with `ended` also what was decided or ended within the hour. */
  list({ ended }: { readonly ended: boolean }): readonly PendingRow[] {
    const { decisions, locale } = this.#deps;
    return (ended ? this.#list.all() : this.#list.open()).map((row) => {
      const { principalName, capability } = row.question;
      return listed(row, decisions.earlier(principalName, capability, MOST_EARLIER), locale);
    });
  }

  /** The question of an entry that can still be decided. */
  waiting(id: string): Question | undefined {
    return this.#list.open().find((row) => row.id === id)?.question;
  }

  /**
   * Approves what was read. Resolves once the decision is on the disk.
   * @throws ApprovalError `NotFound`, `Stale`, `InvalidParams`, `NotAllowed`; StoreError, and then it does not hold
   */
  async approve(id: string, digest: string, verdict: Approving, decider: string): Promise<void> {
    const row = this.#list.find(id);
    if (row.question.digest !== digest) throw stale();
    await this.#deciding.decide(row, verdict, decider);
  }

  /** @throws as `approve` */
  async deny(
    id: string,
    { note, session }: { readonly note?: string | undefined; readonly session: boolean },
    decider: string,
  ): Promise<void> {
    const choice = session ? 'deny_session' : 'deny';
    await this.#deciding.decide(this.#list.find(id), { choice, note }, decider);
  }

  /**
   * Off the screen, and in the list for longer.
   * @throws as `approve`
   */
  async later(id: string, decider: string): Promise<void> {
    await this.#deciding.decide(this.#list.find(id), { choice: 'later' }, decider);
  }

  /**
   * Gives the person as much time again, within a bound.
   * @throws as `approve`
   */
  async extend(id: string, decider: string): Promise<void> {
    await this.#deciding.extend(this.#list.find(id), decider);
  }

  /**
   * Looks at everything that waits again: void at once is what has changed, can no longer be resolved or is now denied.
   * To be called after each change of the registry, the trusted keys, the rules, or of who is suspended or locked out.
   */
  recheck(): void {
    this.#recheckAgain = true;
    if (this.#rechecking) return; // a look can itself find a key withdrawn, and so ask for another
    this.#rechecking = true;
    while (this.#recheckAgain) {
      this.#recheckAgain = false;
      for (const row of this.#list.open()) if (isOpen(row)) this.#recheckOne(row);
    }
    this.#rechecking = false;
  }

  /** Ends what is overdue; a timer does the same. */
  sweep(): void {
    this.#list.sweep();
  }

  /** For the transaction of an intent record: from then on it runs, and is never asked about again. Mostly nothing. */
  starting(id: string): (() => void) | undefined {
    return this.#list.starting(id);
  }

  /** For the transaction of an intent's ending: nothing of it waits any more. Mostly nothing. */
  ending(id: string): (() => void) | undefined {
    return this.#list.ending(id);
  }

  /** How an intent ended, for the list and for whoever asked the same. */
  ended(id: string, outcome: Outcome): void {
    this.#list.ended(id, outcome);
  }

  /** Has the listener told of entries that appeared, changed or ended. */
  onChange(listener: (ids: readonly string[]) => void): void {
    this.#list.onChange(listener);
  }

  /** Waits for how another ends that asks the same; undefined when this one gives up first. */
  async #join(same: Row, known: boolean, hooks: Hooks): Promise<Outcome | undefined> {
    const { promise } = same.outcome;
    if (!known) await hooks.joined();
    return await unlessAborted(promise, hooks.signal);
  }

  #show(row: Row): void {
    this.#screen.show(row).catch((error: unknown) => this.#list.failed(row, error));
  }

  async #answeredOnScreen(row: Row, verdict: Verdict, decider: string): Promise<void> {
    if (!isOpen(row)) return;
    try {
      await this.#deciding.decide(row, verdict, decider);
    } catch (error) {
      // A refused change leaves it waiting, and it is put again with the reason. Anything else has reached its asker.
      if (error instanceof ApprovalError) row.problem = error.message;
      else this.#deps.fault(error);
    }
  }

  #recheckOne(row: Row): void {
    try {
      const again = row.hooks.check();
      if (again.digest === row.question.digest) this.#stillSo(row, again);
      else this.#list.unanswered(row, 'void');
    } catch (error) {
      if (error instanceof Refusal && row.dormant && error.code === 'NotFound') return; // not back yet
      // Nobody can decide while the session is locked; after that it is as it was.
      if (error instanceof Refusal && error.code === 'SessionLocked') return;
      if (!(error instanceof Refusal)) this.#deps.fault(error);
      this.#list.unanswered(row, 'void');
    }
  }

  /** It is what it was; from before a restart, what it would call is back, so that it can be approved. */
  #stillSo(row: Row, again: Question): void {
    row.question = again;
    if (!row.dormant) return;
    row.dormant = false;
    this.#list.tell(row);
    if (row.state === 'pending') this.#show(row);
  }
}

/** What was waited for; undefined when the signal aborts first. */
async function unlessAborted<T>(awaited: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const stop = () => resolve(undefined);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await Promise.race([awaited, promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
