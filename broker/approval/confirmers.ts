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
  readonly locale: string;
}

/** The registered confirmation surfaces, and the asking. A decision is only ever the reply to the broker's own call. */
export class Confirmers {
  readonly #deps: Deps;
  readonly #registered = new Map<string, Confirmer>();
  #appeared = Promise.withResolvers<void>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** False when a surface of the same kind is there already: there is one per session. */
  register(confirmer: Confirmer): boolean {
    if ([...this.#registered.values()].some(({ fallback }) => fallback === confirmer.fallback)) return false;
    this.#registered.set(confirmer.connection, confirmer);
    this.#appeared.resolve();
    this.#appeared = Promise.withResolvers<void>();
    return true;
  }

  remove(connection: string): boolean {
    return this.#registered.delete(connection);
  }

  /** The compositor's wins over a fallback. */
  current(): Confirmer | undefined {
    const all = [...this.#registered.values()];
    return all.find(({ fallback }) => !fallback) ?? all[0];
  }

  /** Puts the question to the current surface, and to the next one should that die, until the deadline. */
  async ask(question: Question, signal: AbortSignal): Promise<Answer> {
    const { now, limits } = this.#deps;
    const deadline = now() + limits.deadlineMs;
    let confirmer = this.current();
    while (confirmer !== undefined) {
      const answer = await this.#askOne(confirmer, question, deadline, signal);
      if (answer !== 'died') return answer;
      if (this.#registered.get(confirmer.connection) === confirmer) this.remove(confirmer.connection);
      confirmer = this.current() ?? (await this.#next(Math.min(limits.reofferMs, deadline - now()), signal));
    }
    return { kind: signal.aborted ? 'withdrawn' : 'no-confirmer' };
  }

  async #askOne(
    confirmer: Confirmer,
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
      const answer = await this.#offer(confirmer, question, remaining, signal);
      if (answer === 'died' || answer.kind === 'withdrawn' || answer.kind === 'expired') return answer;
      const early = offered + limits.armingMs - now();
      if (early <= 0) return answer;
      // Too soon for a person, so it counts as none; the wait keeps a surface that answers at once from spinning.
      await sleep(early, signal).catch(() => undefined);
    }
  }

  async #offer(
    confirmer: Confirmer,
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
        signal,
      });
      return decodeDecision(reply, question, confirmer.decider) ?? 'died';
    } catch (error) {
      if (!(error instanceof DBusError)) throw error;
      if (error.code !== 'timeout' && error.code !== 'aborted') return 'died';
      this.#withdraw(confirmer, question);
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

  async #next(waitMs: number, signal: AbortSignal): Promise<Confirmer | undefined> {
    const stop = new AbortController();
    const patience = this.#deps.sleep(waitMs, AbortSignal.any([signal, stop.signal])).catch(() => undefined);
    await Promise.race([this.#appeared.promise, patience]);
    stop.abort();
    return this.current();
  }
}
