// SPDX-License-Identifier: Apache-2.0
import type { Connection } from '../../dbus/connection.ts';
import { DBusError } from '../../dbus/error.ts';
import { CONFIRMER } from '../bus/names.ts';
import { decodeDecision, encodeQuestion } from './confirm-message.ts';
import type { Answer, Question } from './question.ts';

export interface ConfirmLimits {
  /** How long a person may take, in milliseconds. */
  readonly deadlineMs: number;
  /** An answer sooner than this after the question appeared is no answer: nobody reads that fast. */
  readonly armingMs: number;
  /** How long another surface may take to appear when the one that was asked died. */
  readonly reofferMs: number;
}

export interface QuestionQuotas {
  /** Open questions of one principal. */
  readonly questionsPerPrincipal: number;
  /** Open questions of all. */
  readonly questions: number;
}

/** A place where a person sees questions: the compositor's own, or a fallback such as a terminal. */
export interface Confirmer {
  readonly connection: string;
  readonly path: string;
  readonly fallback: boolean;
  /** Who decides there, as the bus says; never as the confirmer says. */
  readonly decider: string;
}

interface Deps {
  readonly bus: Pick<Connection, 'call'>;
  readonly now: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly limits: ConfirmLimits;
  readonly quotas: QuestionQuotas;
  readonly locale: string;
  /** Told when a surface failed and is none any more. */
  readonly lost: (confirmer: Confirmer) => void;
}

interface Registered {
  readonly confirmer: Confirmer;
  /** Aborts when it is none any more. */
  readonly left: AbortController;
}

/** The registered confirmation surfaces, and the asking. A decision is only ever the reply to the broker's own call. */
export class Confirmers {
  readonly #deps: Deps;
  readonly #registered = new Map<string, Registered>();
  /** How many questions each principal has open. */
  readonly #open = new Map<string, number>();
  #appeared = Promise.withResolvers<void>();

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
    this.#appeared.resolve();
    this.#appeared = Promise.withResolvers<void>();
    return true;
  }

  /** It asks nobody any more: what it had open goes to the next one, and what it still answers counts as nothing. */
  remove(connection: string): boolean {
    this.#registered.get(connection)?.left.abort();
    return this.#registered.delete(connection);
  }

  /** The compositor's wins over a fallback. */
  current(): Registered | undefined {
    const all = [...this.#registered.values()];
    return all.find(({ confirmer }) => !confirmer.fallback) ?? all[0];
  }

  /** Puts the question to the current surface, and to the next one should that die, until the deadline. */
  async ask(question: Question, signal: AbortSignal): Promise<Answer> {
    const { questions, questionsPerPrincipal } = this.#deps.quotas;
    const own = this.#open.get(question.principal) ?? 0;
    const all = [...this.#open.values()].reduce((sum, count) => sum + count, 0);
    // A person can read so many; beyond that nobody's genuine question would be seen in time.
    if (own >= questionsPerPrincipal || all >= questions) return { kind: 'too-many' };
    this.#open.set(question.principal, own + 1);
    try {
      return await this.#untilAnswered(question, signal);
    } finally {
      const left = (this.#open.get(question.principal) ?? 1) - 1;
      if (left > 0) this.#open.set(question.principal, left);
      else this.#open.delete(question.principal);
    }
  }

  async #untilAnswered(question: Question, signal: AbortSignal): Promise<Answer> {
    const { now, limits } = this.#deps;
    const deadline = now() + limits.deadlineMs;
    let asked = this.current();
    while (asked !== undefined) {
      const answer = await this.#askOne(asked, question, deadline, signal);
      if (answer !== 'died') return answer;
      const { connection } = asked.confirmer;
      if (this.#registered.get(connection) === asked) {
        this.remove(connection);
        this.#deps.lost(asked.confirmer);
      }
      asked = this.current() ?? (await this.#next(Math.min(limits.reofferMs, deadline - now()), signal));
    }
    return { kind: signal.aborted ? 'withdrawn' : 'no-confirmer' };
  }

  async #askOne(
    asked: Registered,
    question: Question,
    deadline: number,
    signal: AbortSignal,
  ): Promise<Answer | 'died'> {
    const { now, limits, sleep } = this.#deps;
    for (;;) {
      const offered = now();
      const remaining = deadline - offered;
      if (signal.aborted) return { kind: 'withdrawn' };
      if (remaining <= 0) return { kind: 'expired' };
      const answer = await this.#offer(asked, question, remaining, signal);
      if (answer === 'died' || (answer.kind !== 'once' && answer.kind !== 'deny')) return answer;
      const early = offered + limits.armingMs - now();
      if (asked.left.signal.aborted) return 'died';
      if (early <= 0) return answer;
      // Too soon for a person, so it counts as none; the wait keeps a surface that answers at once from spinning.
      await sleep(early, signal).catch(() => undefined);
    }
  }

  async #offer(
    { confirmer, left }: Registered,
    question: Question,
    remaining: number,
    signal: AbortSignal,
  ): Promise<Answer | 'died'> {
    const { bus, limits, locale } = this.#deps;
    try {
      const reply = await bus.call({
        destination: confirmer.connection,
        path: confirmer.path,
        interface: CONFIRMER,
        member: 'Confirm',
        ...encodeQuestion(question, { locale, deadlineMs: remaining, armingMs: limits.armingMs }),
        timeoutMs: remaining,
        signal: AbortSignal.any([signal, left.signal]),
      });
      return decodeDecision(reply, question, confirmer.decider);
    } catch (error) {
      if (!(error instanceof DBusError)) throw error;
      // Our own message did not fit: that is the question's fault and not the surface's.
      if (error.code === 'limit' || error.code === 'invalid') return { kind: 'too-large' };
      if (error.code !== 'timeout' && error.code !== 'aborted') return 'died';
      this.#withdraw(confirmer, question);
      if (left.signal.aborted && !signal.aborted) return 'died';
      return { kind: error.code === 'timeout' ? 'expired' : 'withdrawn' };
    }
  }

  #withdraw(confirmer: Confirmer, question: Question): void {
    const call = {
      destination: confirmer.connection,
      path: confirmer.path,
      interface: CONFIRMER,
      member: 'Withdraw',
      signature: 's',
      body: [question.invocation],
    };
    // Only courtesy: an answer to a withdrawn question reaches nobody anyway.
    this.#deps.bus.call(call).catch(() => undefined);
  }

  async #next(waitMs: number, signal: AbortSignal): Promise<Registered | undefined> {
    const stop = new AbortController();
    const patience = this.#deps.sleep(waitMs, AbortSignal.any([signal, stop.signal])).catch(() => undefined);
    await Promise.race([this.#appeared.promise, patience]);
    stop.abort();
    return this.current();
  }
}
