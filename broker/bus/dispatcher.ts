// SPDX-License-Identifier: Apache-2.0
import { Attempt } from '../intent/attempt.ts';
import { type Action, handle } from '../intent/handle.ts';
import type { Outcome } from '../intent/outcome.ts';
import type { Outcomes } from '../outcomes.ts';
import type { World } from '../world.ts';
import type { ReplyOptions } from './decode.ts';
import type { Request, Requests } from './requests.ts';
import type { Session } from './sessions.ts';

/** What goes back for a call that made a request: its path, its status so far, and the outcome when there is one. */
export type Reply = readonly [path: string, status: string, outcome: string];

interface Deps {
  readonly world: World;
  readonly requests: Requests;
  readonly outcomes: Outcomes;
  readonly newId: () => string;
}

/** Takes an action from the bus to the one path, and its outcome back. */
export class Dispatcher {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** @throws CallError when there are too many requests, or the handle token is in use */
  async run(session: Session, action: Action, reply: ReplyOptions): Promise<Reply> {
    const { requests, newId } = this.#deps;
    const invocation = newId();
    const request = requests.open(session, reply.handleToken, invocation);
    const ended = this.#walk(session, action, invocation, request);
    if (reply.waitMs === 0) return request.replyPending();
    const { promise: late, resolve } = Promise.withResolvers<undefined>();
    const patience = setTimeout(() => resolve(undefined), reply.waitMs);
    const answer = await Promise.race([ended, late]);
    clearTimeout(patience);
    return answer ?? request.replyPending();
  }

  /**
   * Runs an action that has no Request of its own, such as subscribing; it ends with its caller all the same.
   * @throws CallError when the caller has left
   */
  async runQuietly(session: Session, action: Action): Promise<Outcome> {
    session.requirePresent();
    const { world, newId } = this.#deps;
    const invocation = newId();
    const abort = new AbortController();
    const name = `quiet ${invocation}`; // no handle token has a space
    session.requests.set(name, { withdraw: () => abort.abort() });
    try {
      return await handle(action, this.attempt(session, action, invocation, abort.signal), world);
    } finally {
      session.requests.delete(name);
    }
  }

  attempt(session: Session, action: Action, invocation: string, signal: AbortSignal): Attempt {
    return new Attempt({
      invocation,
      caller: session,
      signal,
      startedAt: this.#deps.world.now(),
      origin: action.kind === 'invoke' ? action.intent.origin : undefined,
      profile: this.#deps.world.config.profile,
    });
  }

  async #walk(session: Session, action: Action, invocation: string, request: Request): Promise<Reply> {
    const { world, outcomes } = this.#deps;
    request.attempt = this.attempt(session, action, invocation, request.signal);
    const outcome = await handle(action, request.attempt, world);
    const text = JSON.stringify(outcome);
    outcomes.keep(invocation, session.principal.id, outcome.status, text, world.now());
    return request.finish(outcome, text);
  }
}
