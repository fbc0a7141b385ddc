// SPDX-License-Identifier: Apache-2.0
import type { MethodSpec } from '../../../dbus/serve.ts';
import { who } from '../../audit/who.ts';
import { CallError } from '../errors.ts';
import { Options, textArgument } from '../options.ts';
import type { Session } from '../sessions.ts';
import { type OperatorDeps, userOf } from './deps.ts';

type Deps = Pick<OperatorDeps, 'sessions' | 'confirmers' | 'world' | 'person'>;

/** Becoming and ceasing to be where the person is asked. */
export function confirmerCalls(deps: Deps): Readonly<Record<string, MethodSpec>> {
  const { sessions, confirmers, person } = deps;
  return {
    RegisterConfirmer: {
      in: 'oa{sv}',
      out: '',
      handle: async ([path, given], call) => {
        const session = await sessions.as(call, 'decide');
        const options = new Options(given);
        const wished = options.flag('fallback');
        const canModify = options.flag('can_modify');
        const locale = options.text('locale', LOCALE);
        options.done();
        // The administrator says who asks the person. Any other tool of theirs shows first that they are there, and
        // never comes before a surface that was configured.
        const { roles } = session.principal;
        const configured = roles.includes('compositor') || roles.includes('confirmer');
        if (!configured) await person(session);
        const fallback = wished || !configured;
        const confirmer = {
          connection: session.connection,
          path: textArgument(path),
          fallback,
          canModify,
          locale,
          decider: userOf(session),
        };
        session.requirePresent();
        if (!confirmers.register(confirmer)) {
          throw new CallError(
            'NotAllowed',
            'another confirmation surface serves this session: stop that one first',
          );
        }
        await note(deps, session, 'Registered');
        return [];
      },
    },
    UnregisterConfirmer: {
      in: '',
      out: '',
      handle: async (_args, call) => {
        const session = await sessions.as(call, 'decide');
        if (confirmers.remove(session.connection)) await note(deps, session, 'Unregistered');
        return [];
      },
    },
  };
}

const LOCALE = /^[A-Za-z0-9_.@-]{1,35}$/;

async function note(
  { world }: Deps,
  { principal }: Session,
  code: 'Registered' | 'Unregistered',
): Promise<void> {
  await world.records.append({ type: 'confirmer', time: world.now(), code, ...who(principal) }, 'normal');
}
