// SPDX-License-Identifier: Apache-2.0
import type { IncomingCall } from '../../dbus/connection.ts';
import type { InterfaceSpec } from '../../dbus/serve.ts';
import type { Registration } from '../registration.ts';
import { CallError } from './errors.ts';
import type { Events } from './events.ts';
import { REGISTRY } from './names.ts';
import { Options, textArgument } from './options.ts';
import { ProgressPace } from './progress-pace.ts';
import type { Requests } from './requests.ts';
import type { Session, Sessions } from './sessions.ts';
import type { WorkBudget } from './work-budget.ts';

interface Deps {
  readonly sessions: Sessions;
  readonly registration: Registration;
  readonly events: Events;
  readonly requests: Requests;
  readonly budget: WorkBudget;
}

const MAX_PROGRESS_TEXT = 200;
const PROGRESS_EVERY_MS = 100;
/** A manifest takes so much more to read than as many bytes of parameters. */
const MANIFEST_WEIGHT = 4;

/** `org.portal.Broker1.Registry`: for apps. Documented in dbus-policy/org.portal.Broker1.Registry.xml. */
export function registryInterface(deps: Deps): InterfaceSpec {
  const { sessions, registration, events, requests, budget } = deps;
  const pace = new ProgressPace(PROGRESS_EVERY_MS);
  const app = (call: IncomingCall): Promise<Session> => sessions.as(call, 'provide');
  return {
    name: REGISTRY,
    methods: {
      Register: {
        in: 'soa{sv}',
        out: 'us',
        handle: async ([manifest, handler, given], call) => {
          const session = await app(call);
          budget.spend(session, 1, MANIFEST_WEIGHT * textArgument(manifest).length);
          new Options(given).done();
          const { tier, details } = await registration.register(
            session,
            textArgument(manifest),
            textArgument(handler),
          );
          return [tier, JSON.stringify(details)];
        },
      },
      Unregister: {
        in: '',
        out: '',
        handle: async (_args, call) => {
          await registration.unregister(await app(call));
          return [];
        },
      },
      EmitEvent: {
        in: 'ss',
        out: '',
        handle: async ([type, payload], call) => {
          const standing = registration.standingOf(await app(call));
          if (standing === undefined)
            throw new CallError('NotAllowed', 'only a registered tier 1 app may send events: register first');
          events.emit(standing, textArgument(type), textArgument(payload));
          return [];
        },
      },
      Progress: {
        in: 'sus',
        out: '',
        handle: async ([invocation, permille, text], call) => {
          const session = await app(call);
          const id = textArgument(invocation);
          const running = () => requests.runningAt(id, session.connection);
          if (running() === undefined)
            throw new CallError('NotFound', 'no invocation of yours is running under this id');
          const part = Math.min(Number(permille), 1000);
          const line = textArgument(text).slice(0, MAX_PROGRESS_TEXT);
          pace.report(id, () => running()?.progress(part, line));
          return [];
        },
      },
    },
  };
}
