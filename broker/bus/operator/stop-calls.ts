// SPDX-License-Identifier: Apache-2.0
import type { MethodSpec } from '../../../dbus/serve.ts';
import { EVERYBODY } from '../../suspensions.ts';
import { CallError } from '../errors.ts';
import { Options, textArgument } from '../options.ts';
import { type OperatorDeps, operatorOf, userOf } from './deps.ts';

const MINUTE_MS = 60_000;

/** Stopping: one principal or all, at once; and what the compositor says of the person's session. */
export function stopCalls(deps: OperatorDeps): Readonly<Record<string, MethodSpec>> {
  const { suspensions, world } = deps;
  return {
    Suspend: {
      in: 'su',
      out: '',
      handle: async ([principal, minutes], call) => {
        const session = await operatorOf(deps, call);
        const whom = textArgument(principal);
        requireKnown(whom, deps);
        const until = minutes === 0 ? undefined : world.now() + Number(minutes) * MINUTE_MS;
        // It holds from here on, even where it cannot be stored; what is under way must not wait for the disk.
        const stored = suspensions.suspend(whom, until, userOf(session));
        deps.stop(whom);
        await stored;
        return [];
      },
    },
    Resume: {
      in: 's',
      out: '',
      handle: async ([principal], call) => {
        const session = await operatorOf(deps, call);
        const whom = textArgument(principal);
        if (!(await suspensions.resume(whom, await deps.person(session)))) {
          throw new CallError('NotFound', 'nobody is suspended under that name: see who is');
        }
        return [];
      },
    },
    Suspensions: {
      in: '',
      out: 's',
      handle: async (_args, call) => {
        await operatorOf(deps, call);
        return [JSON.stringify(suspensions.list(world.now()))];
      },
    },
    SetSession: {
      in: 'a{sv}',
      out: '',
      handle: async ([state], call) => {
        const session = await operatorOf(deps, call);
        if (!session.principal.roles.includes('compositor')) {
          throw new CallError('AccessDenied', 'only the compositor knows whether the session is locked');
        }
        const options = new Options(state);
        const locked = options.flag('locked');
        options.done();
        deps.lockSession(locked);
        return [];
      },
    },
  };
}

/** A name with a slip in it would stop nobody, and look as if it had. */
function requireKnown(whom: string, { view, sessions }: Pick<OperatorDeps, 'view' | 'sessions'>): void {
  const connected = [...sessions.all()].map(({ principal }) => principal);
  const isMeant = ({ id, name }: { id: string; name: string }) => id === whom || name === whom;
  if (whom === EVERYBODY || [...view.principals(), ...connected].some(isMeant)) return;
  throw new CallError(
    'NotFound',
    'there is no such principal: see who there is in the matrix, or stop all with `*`',
  );
}
