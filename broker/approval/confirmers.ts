// SPDX-License-Identifier: Apache-2.0
import type { Connection } from '../../dbus/connection.ts';
import { DBusError } from '../../dbus/error.ts';
import { CONFIRMER } from '../bus/names.ts';
import type { Verdict } from './choice.ts';
import { decodeDecisions, encodeQuestion, type Shown } from './confirm-message.ts';

export interface ConfirmLimits {
  /** How long a person may take, in milliseconds. */
  readonly deadlineMs: number;
  /** An answer sooner than this after the question appeared is no answer: nobody reads that fast. */
  readonly armingMs: number;
  /** How long another surface may take to appear when the one that was asked died. */
  readonly reofferMs: number;
  /** How long questions of one intention are waited for before they are asked together. */
  readonly gatherMs: number;
  /** How long what a person put off stays in the list, in milliseconds; also the most that a question can be extended to. */
  readonly laterMs: number;
}

/** A place where a person sees questions: the compositor's own, or a fallback such as a terminal. */
export interface Confirmer {
  readonly connection: string;
  readonly path: string;
  readonly fallback: boolean;
  /** Whether it can let the person change parameters before approving. */
  readonly canModify: boolean;
  /** The person's language there; undefined for the broker's own. */
  readonly locale: string | undefined;
  /** Who decides there, as the bus says; never as the confirmer says. */
  readonly decider: string;
}

/**
 * What came of a question: a verdict for each row by its digest; the deadline; what was asked changed meanwhile, so
 * nothing that is still answered counts; no surface is there; or the question does not fit into a message.
 */
export type Reply =
  | {
      readonly kind: 'answered';
      readonly verdicts: ReadonlyMap<string, Verdict>;
      readonly decider: string;
    }
  | { readonly kind: 'expired' | 'changed' | 'no-confirmer' | 'too-large' };

interface Deps {
  readonly bus: Pick<Connection, 'call'>;
  readonly now: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly limits: Pick<ConfirmLimits, 'armingMs'>;
  readonly locale: string;
  /** Told when a surface failed and is none any more. */
  readonly lost: (confirmer: Confirmer) => void;
}

interface Registered {
  readonly confirmer: Confirmer;
  /** Aborts when it is none any more. */
  readonly left: AbortController;
}

/** The registered confirmation surfaces, and the asking. What one answers is only ever the reply to the broker's own call. */
export class Confirmers {
  readonly #deps: Deps;
  readonly #registered = new Map<string, Registered>();
  readonly #listeners: (() => void)[] = [];
  #offers = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** False when a surface of the same kind is there already: there is one per session. */
  register(confirmer: Confirmer): boolean {
    const same = ({ confirmer: other }: Registered): boolean =>
      other.fallback === confirmer.fallback && other.connection !== confirmer.connection;
    if ([...this.#registered.values()].some(same)) return false;
    this.remove(confirmer.connection);
    this.#registered.set(confirmer.connection, { confirmer, left: new AbortController() });
    for (const listener of this.#listeners) listener();
    return true;
  }

  /** It asks nobody any more: what it had open goes to the next one, and what it still answers counts as nothing. */
  remove(connection: string): boolean {
    this.#registered.get(connection)?.left.abort();
    return this.#registered.delete(connection);
  }

  /** The compositor's wins over a fallback. */
  current(): Confirmer | undefined {
    return this.#current()?.confirmer;
  }

  /** Has the listener told when a surface appears. */
  onAppear(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /**
   * Puts a question with its rows to the current surface, and to the next one should that die, until `deadline`
   * (milliseconds since the epoch) or until `changed` aborts, which takes it off the screen.
   */
  async ask(rows: readonly Shown[], deadline: number, changed: AbortSignal): Promise<Reply> {
    for (let asked = this.#current(); asked !== undefined; asked = this.#current()) {
      const reply = await this.#askOne(asked, rows, deadline, changed);
      if (reply !== 'died') return reply;
      const { connection } = asked.confirmer;
      if (this.#registered.get(connection) === asked) {
        this.remove(connection);
        this.#deps.lost(asked.confirmer);
      }
    }
    return { kind: 'no-confirmer' };
  }

  #current(): Registered | undefined {
    const all = [...this.#registered.values()];
    return all.find(({ confirmer }) => !confirmer.fallback) ?? all[0];
  }

  async #askOne(
    asked: Registered,
    rows: readonly Shown[],
    deadline: number,
    changed: AbortSignal,
  ): Promise<Reply | 'died'> {
    const { now, limits, sleep } = this.#deps;
    for (;;) {
      const offered = now();
      const remaining = deadline - offered;
      if (changed.aborted) return { kind: 'changed' };
      if (remaining <= 0) return { kind: 'expired' };
      const reply = await this.#offer(asked, rows, remaining, changed);
      if (reply === 'died' || reply.kind !== 'answered') return reply;
      if (asked.left.signal.aborted) return 'died';
      const early = offered + limits.armingMs - now();
      if (early <= 0) return changed.aborted ? { kind: 'changed' } : reply;
      // Too soon for a person, so it counts as none; the wait keeps a surface that answers at once from spinning.
      await sleep(early, changed).catch(() => undefined);
      if (asked.left.signal.aborted) return 'died';
    }
  }

  async #offer(
    { confirmer, left }: Registered,
    rows: readonly Shown[],
    remaining: number,
    changed: AbortSignal,
  ): Promise<Reply | 'died'> {
    const { bus, limits, locale } = this.#deps;
    // Each time a name of its own: a surface may still be clearing away what was withdrawn.
    this.#offers += 1;
    const id = `${rows[0]?.question.invocation}:${this.#offers}`;
    const { canModify } = confirmer;
    const offer = { locale: confirmer.locale ?? locale, deadlineMs: remaining, armingMs: limits.armingMs };
    try {
      const reply = await bus.call({
        destination: confirmer.connection,
        path: confirmer.path,
        interface: CONFIRMER,
        member: 'Confirm',
        ...encodeQuestion(id, rows, { ...offer, canModify }),
        timeoutMs: remaining,
        signal: AbortSignal.any([changed, left.signal]),
      });
      const questions = rows.map(({ question }) => question);
      const verdicts = decodeDecisions(reply, questions, confirmer);
      return { kind: 'answered', verdicts, decider: confirmer.decider };
    } catch (error) {
      if (!(error instanceof DBusError)) throw error;
      // Our own message did not fit: that is the question's fault and not the surface's.
      if (error.code === 'limit' || error.code === 'invalid') return { kind: 'too-large' };
      if (error.code !== 'timeout' && error.code !== 'aborted') return 'died';
      this.#withdraw(confirmer, id);
      if (changed.aborted) return { kind: 'changed' };
      return error.code === 'timeout' && !left.signal.aborted ? { kind: 'expired' } : 'died';
    }
  }

  #withdraw(confirmer: Confirmer, id: string): void {
    const call = {
      destination: confirmer.connection,
      path: confirmer.path,
      interface: CONFIRMER,
      member: 'Withdraw',
      signature: 's',
      body: [id],
    };
    // Only courtesy: an answer to a withdrawn question reaches nobody anyway.
    this.#deps.bus.call(call).catch(() => undefined);
  }
}
