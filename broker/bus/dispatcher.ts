// SPDX-License-Identifier: Apache-2.0
import { Deadlines } from '../../dbus/deadlines.ts';
import type { Intent } from '../../policy/intent.ts';
import type { Actions } from '../actions.ts';
import type { Waiting } from '../approval/restore.ts';
import { Attempt, type Caller } from '../intent/attempt.ts';
import { type Action, handle } from '../intent/handle.ts';
import type { Outcome } from '../intent/outcome.ts';
import { attemptOf } from '../intent/resume.ts';
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
  readonly actions: Pick<Actions, 'started' | 'ended'>;
  /** Told how each ended. */
  readonly ended: (attempt: Attempt, outcome: Outcome) => void;
  readonly newId: () => string;
}

/** Takes an action from the bus to the one path, and its outcome back. */
export class Dispatcher {
  readonly #deps: Deps;
  /** Until when each caller waits for its outcome. */
  readonly #patience = new Deadlines();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** @throws CallError when there are too many requests, or the handle token is in use */
  async run(session: Session, action: Action, reply: ReplyOptions): Promise<Reply> {
    const { requests, newId } = this.#deps;
    const invocation = newId();
    const request = requests.open(session, reply.handleToken, invocation);
    const ended = this.#walk(session, action, this.#attempt(session, action, invocation, request), request);
    if (reply.waitMs === 0) return request.replyPending();
    return await new Promise((resolve, reject) => {
      const patience = this.#patience.add(reply.waitMs, () => resolve(request.replyPending()));
      const end = (answer: Reply) => {
        this.#patience.met(patience);
        resolve(answer);
      };
      ended.then(end, reject);
    });
  }

  /**
   * Goes on waiting for what waited before a restart, at the Request object where its caller looks for it.
   * @throws CallError when the caller has left, or waits for something else there
   */
  resume(session: Session, waiting: Waiting): void {
    const { requests, world } = this.#deps;
    const { id, requestPath } = waiting.stored;
    const request = requests.open(session, requestPath.slice(requestPath.lastIndexOf('/') + 1), id);
    request.replyPending();
    const attempt = attemptOf(waiting, session, request.signal, world);
    void this.#walk(session, waiting.action, attempt, request, waiting);
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
      return await handle(action, this.#attempt(session, action, invocation, abort), world);
    } finally {
      session.requests.delete(name);
    }
  }

  /** An attempt that goes nowhere: for explaining what would become of an intent. */
  lookAhead(session: Session, intent: Intent): Attempt {
    const { newId } = this.#deps;
    return this.#attempt(session, { kind: 'invoke', intent }, newId(), new AbortController());
  }

  #attempt(
    caller: Caller,
    action: Action,
    invocation: string,
    request: { signal: AbortSignal; path?: string },
  ) {
    return new Attempt({
      invocation,
      caller,
      signal: request.signal,
      startedAt: this.#deps.world.now(),
      origin: action.kind === 'invoke' ? action.intent.origin : undefined,
      profile: this.#deps.world.config.profile,
      requestPath: request.path,
    });
  }

  async #walk(
    session: Session,
    action: Action,
    attempt: Attempt,
    request: Request,
    waiting?: Waiting,
  ): Promise<Reply> {
    const { world, outcomes, actions } = this.#deps;
    const { owner } = session;
    const { invocation } = attempt;
    request.attempt = attempt;
    if (action.kind === 'invoke') actions.started(owner, invocation, action.intent.capability);
    const outcome = await handle(action, attempt, world, waiting);
    actions.ended(owner, invocation, outcome.status);
    const text = JSON.stringify(outcome);
    outcomes.keep(invocation, owner, outcome.status, text, world.now());
    this.#deps.ended(attempt, outcome);
    return request.finish(outcome, text);
  }
}
