// SPDX-License-Identifier: Apache-2.0
import type { IncomingCall } from '../../dbus/connection.ts';
import type { InterfaceSpec } from '../../dbus/serve.ts';
import type { Confirmers } from '../approval/confirmers.ts';
import { who } from '../audit/who.ts';
import type { AuditDesk } from '../audit-desk.ts';
import type { Registration } from '../registration.ts';
import type { World } from '../world.ts';
import { decodeUndo } from './decode.ts';
import type { Dispatcher } from './dispatcher.ts';
import { CallError } from './errors.ts';
import { OPERATOR } from './names.ts';
import { Options, textArgument } from './options.ts';
import type { Session, Sessions } from './sessions.ts';

interface Deps {
  readonly world: World;
  readonly sessions: Sessions;
  readonly confirmers: Confirmers;
  readonly dispatcher: Dispatcher;
  readonly registration: Registration;
  readonly audit: AuditDesk;
}

/** `org.portal.Broker1.Operator`: for the person's own tools. Documented in dbus-policy/org.portal.Broker1.Operator.xml. */
export function operatorInterface(deps: Deps): InterfaceSpec {
  const { world, sessions, confirmers, dispatcher, registration, audit } = deps;
  const operator = async (call: IncomingCall): Promise<Session> => {
    const session = await sessions.of(call);
    await sessions.claim(session, 'operate');
    return session;
  };
  return {
    name: OPERATOR,
    methods: {
      RegisterConfirmer: {
        in: 'oa{sv}',
        out: '',
        handle: async ([path, given], call) => {
          const session = await sessions.of(call);
          await sessions.claim(session, 'decide');
          const options = new Options(given);
          const fallback = options.flag('fallback');
          options.done();
          const confirmer = {
            connection: session.connection,
            path: textArgument(path),
            fallback,
            decider: session.principal.id,
          };
          session.requirePresent();
          if (!confirmers.register(confirmer)) {
            throw new CallError(
              'NotAllowed',
              'another confirmation surface serves this session: stop that one first',
            );
          }
          await noteConfirmer(session, world, 'Registered');
          return [];
        },
      },
      UnregisterConfirmer: {
        in: '',
        out: '',
        handle: async (_args, call) => {
          const session = await sessions.of(call);
          await sessions.claim(session, 'decide');
          if (confirmers.remove(session.connection)) await noteConfirmer(session, world, 'Unregistered');
          return [];
        },
      },
      Undo: {
        in: 'sa{sv}',
        out: 'oss',
        handle: async ([invocation, given], call) => {
          const session = await operator(call);
          const reply = decodeUndo(given);
          const id = textArgument(invocation);
          session.epoch = registration.epoch; // the person takes back what ran, whatever they have listed
          const undo = world.undos.find(id, world.now());
          return await dispatcher.run(session, { kind: 'undo', invocation: id, undo, byPerson: true }, reply);
        },
      },
      Apps: {
        in: '',
        out: 's',
        handle: async (_args, call) => {
          (await operator(call)).followsApps = true;
          return [JSON.stringify(registration.apps())];
        },
      },
      Audit: {
        in: 'a{sv}',
        out: 's',
        handle: async ([filter], call) => {
          await operator(call);
          return [JSON.stringify(await audit.query(new Options(filter)))];
        },
      },
      VerifyAudit: {
        in: '',
        out: 's',
        handle: async (_args, call) => {
          await operator(call);
          return [JSON.stringify(await audit.verify())];
        },
      },
    },
    signals: { AppsChanged: 'as' },
  };
}

async function noteConfirmer(
  session: Session,
  world: World,
  code: 'Registered' | 'Unregistered',
): Promise<void> {
  await world.records.append(
    { type: 'confirmer', time: world.now(), code, ...who(session.principal) },
    'normal',
  );
}
