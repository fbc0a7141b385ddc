// SPDX-License-Identifier: Apache-2.0
import type { IncomingCall } from '../../dbus/connection.ts';
import type { InterfaceSpec } from '../../dbus/serve.ts';
import { who } from '../audit/who.ts';
import { SUBSCRIBE } from '../builtin/subscribe.ts';
import { type Explainer, explain } from '../explain.ts';
import type { Listing } from '../listing.ts';
import type { Outcomes } from '../outcomes.ts';
import type { Registration } from '../registration.ts';
import type { World } from '../world.ts';
import { decodeIntent, decodeUndo } from './decode.ts';
import type { Dispatcher } from './dispatcher.ts';
import { CallError } from './errors.ts';
import { BROKER } from './names.ts';
import { textArgument } from './options.ts';
import type { Requests } from './requests.ts';
import { type SelfDeps, selfCalls } from './self-calls.ts';
import type { Session, Sessions } from './sessions.ts';
import type { WorkBudget } from './work-budget.ts';

interface Deps extends SelfDeps {
  readonly world: World;
  readonly sessions: Sessions;
  readonly dispatcher: Dispatcher;
  readonly requests: Requests;
  readonly listing: Listing;
  readonly registration: Pick<Registration, 'isAvailable'>;
  readonly outcomes: Outcomes;
  readonly budget: WorkBudget;
  readonly explainer: Explainer;
  readonly version: string;
  readonly epoch: () => number;
  readonly assurance: () => string;
}

/** `org.portal.Broker1`: what an intelligence uses. Documented in dbus-policy/org.portal.Broker1.xml. */
export function brokerInterface(deps: Deps): InterfaceSpec {
  const service = new BrokerCalls(deps);
  return {
    name: BROKER,
    methods: {
      Dispatch: { in: 'ssa{sv}', out: 'oss', handle: (args, call) => service.dispatch(args, call) },
      Outcome: {
        in: 's',
        out: 'ss',
        handle: ([invocation], call) => service.outcome(textArgument(invocation), call),
      },
      Explain: { in: 'ssa{sv}', out: 's', handle: (args, call) => service.explain(args, call) },
      List: { in: 'a{sv}', out: 'ts', handle: ([filter], call) => service.list(filter, call) },
      Undo: { in: 'sa{sv}', out: 'oss', handle: (args, call) => service.undo(args, call) },
      ...selfCalls(deps),
      Subscribe: {
        in: 's',
        out: '',
        handle: ([appId], call) => service.subscribe(textArgument(appId), call),
      },
      Unsubscribe: {
        in: 's',
        out: '',
        handle: ([appId], call) => service.unsubscribe(textArgument(appId), call),
      },
    },
    properties: {
      Version: { type: 's', get: () => deps.version },
      Epoch: { type: 't', get: () => BigInt(deps.epoch()) },
      Profile: { type: 's', get: () => deps.world.config.profile },
      Assurance: { type: 's', get: () => deps.assurance() },
    },
    signals: { Changed: 'tasas', SelfModelChanged: 't', Event: 'ssss' },
  };
}

class BrokerCalls {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async dispatch(
    [capability, params, options]: readonly unknown[],
    call: IncomingCall,
  ): Promise<readonly unknown[]> {
    const session = await this.#intelligence(call);
    return await this.#recordingRefusal(session, async () => {
      // Turns and requests bound what is dispatched; only how much of it has to be read counts here.
      this.#deps.budget.spend(session, 0, textArgument(params).length);
      const { intent, reply } = decodeIntent(textArgument(capability), textArgument(params), options);
      const meant = { ...intent, context: session.contextOf(intent.context) };
      return await this.#deps.dispatcher.run(session, { kind: 'invoke', intent: meant }, reply);
    });
  }

  async undo([invocation, options]: readonly unknown[], call: IncomingCall): Promise<readonly unknown[]> {
    const { world, dispatcher } = this.#deps;
    const session = await this.#intelligence(call);
    return await this.#recordingRefusal(session, async () => {
      this.#deps.budget.spend(session, 1);
      const reply = decodeUndo(options);
      const undo = world.undos.find(textArgument(invocation), world.now());
      // Somebody else's is answered like none at all.
      const own = undo?.principal === session.principal.id ? undo : undefined;
      return await dispatcher.run(
        session,
        {
          kind: 'undo',
          invocation: textArgument(invocation),
          undo: own,
          byPerson: false,
          reason: reply.reason,
        },
        reply,
      );
    });
  }

  async outcome(invocation: string, call: IncomingCall): Promise<readonly unknown[]> {
    const { outcomes, requests, world, budget } = this.#deps;
    const session = await this.#deps.sessions.of(call);
    budget.spend(session, 0);
    const kept = outcomes.find(invocation, session.owner, world.now());
    if (kept !== undefined) {
      budget.answered(session, kept.text.length);
      return [kept.status, kept.text];
    }
    if (requests.byInvocation(invocation)?.session.owner === session.owner) return ['pending', ''];
    throw new CallError(
      'NotFound',
      'no outcome of yours under this invocation: it is unknown, older than an hour, or not yours',
    );
  }

  async explain(
    [capability, params, options]: readonly unknown[],
    call: IncomingCall,
  ): Promise<readonly unknown[]> {
    const { dispatcher, explainer, budget } = this.#deps;
    const session = await this.#deps.sessions.of(call);
    budget.spend(session, 1, textArgument(params).length);
    const { intent: said } = decodeIntent(textArgument(capability), textArgument(params), options);
    const intent = { ...said, context: session.contextIf(said.context) };
    return [JSON.stringify(explain(intent, dispatcher.lookAhead(session, intent), explainer))];
  }

  async list(filter: unknown, call: IncomingCall): Promise<readonly unknown[]> {
    const { budget, listing } = this.#deps;
    const session = await this.#deps.sessions.of(call);
    budget.spend(session, 1);
    const { epoch, text } = listing.list(filter, session);
    budget.answered(session, text.length);
    return [BigInt(epoch), text];
  }

  async subscribe(appId: string, call: IncomingCall): Promise<readonly unknown[]> {
    const session = await this.#intelligence(call);
    await this.#recordingRefusal(session, async () => {
      // Otherwise the person would be asked about an app that is not there.
      if (!this.#deps.registration.isAvailable(appId)) throw noSuchApp();
    });
    const intent = {
      ...SUBSCRIBE,
      params: JSON.stringify({ app_id: appId }),
      context: session.contextOf('live'),
    };
    const outcome = await this.#deps.dispatcher.runQuietly(session, { kind: 'invoke', intent });
    if (outcome.status === 'executed') return [];
    if (outcome.code === 'NotFound' || outcome.code === 'InvalidParams') throw noSuchApp();
    const code = outcome.code === 'LimitExceeded' ? 'LimitsExceeded' : 'AccessDenied';
    throw new CallError(code, outcome.error?.message ?? 'not subscribed');
  }

  async unsubscribe(appId: string, call: IncomingCall): Promise<readonly unknown[]> {
    (await this.#deps.sessions.of(call)).subscriptions.delete(appId);
    return [];
  }

  #intelligence(call: IncomingCall): Promise<Session> {
    return this.#deps.sessions.as(call, 'dispatch');
  }

  /** A call that is refused before it becomes an intent is an attempt all the same. */
  async #recordingRefusal<T>(session: Session, step: () => Promise<T>): Promise<T> {
    try {
      return await step();
    } catch (error) {
      const { world } = this.#deps;
      const code = error instanceof CallError ? error.code : 'InvalidArgs';
      const refused = {
        type: 'denied',
        time: world.now(),
        stage: 'call',
        code,
        ...who(session.principal),
      } as const;
      await world.records.append(refused, 'normal').catch(world.fault);
      throw error;
    }
  }
}

/** Unknown and not to be seen are the same. */
function noSuchApp(): CallError {
  return new CallError('NotFound', 'no app of this id is registered, or none that you may follow');
}
