// SPDX-License-Identifier: Apache-2.0
import type { IncomingCall } from '../../dbus/connection.ts';
import type { MethodSpec } from '../../dbus/serve.ts';
import type { CapabilityRequests } from '../grant/capability-requests.ts';
import type { Listing } from '../listing.ts';
import type { SelfModels } from '../views/self-models.ts';
import type { World } from '../world.ts';
import { CallError } from './errors.ts';
import { jsonArgument } from './json-argument.ts';
import { textArgument } from './options.ts';
import type { Session, Sessions } from './sessions.ts';
import type { WorkBudget } from './work-budget.ts';

export interface SelfDeps {
  readonly world: World;
  readonly sessions: Sessions;
  readonly listing: Pick<Listing, 'sees'>;
  readonly budget: WorkBudget;
  readonly selfModels: SelfModels;
  readonly capabilityRequests: CapabilityRequests;
}

/** What an intelligence learns of itself, and what it can ask to be granted. */
export function selfCalls(deps: SelfDeps): Readonly<Record<string, MethodSpec>> {
  const { world, sessions, budget, selfModels, capabilityRequests } = deps;
  const intelligence = (call: IncomingCall): Promise<Session> => sessions.as(call, 'dispatch');
  return {
    SelfModel: {
      in: '',
      out: 'ts',
      handle: async (_args, call) => {
        const session = await intelligence(call);
        budget.spend(session, 1);
        session.requirePresent();
        const { epoch, text } = selfModels.tell(session);
        budget.answered(session, text.length);
        return [BigInt(epoch), text];
      },
    },
    RequestCapability: {
      in: 's',
      out: 's',
      handle: async ([request], call) => {
        const session = await intelligence(call);
        budget.spend(session, 1, textArgument(request).length);
        if (world.circumstances().isSuspended(session.principal)) {
          throw new CallError(
            'NotAllowed',
            'the person at the desk has stopped you: wait until they resume you',
          );
        }
        const value = jsonArgument(request);
        requireVisible(Object(value).capability, session, deps);
        session.requirePresent();
        return [await capabilityRequests.open(session.principal, value)];
      },
    },
    WithdrawRequest: {
      in: 's',
      out: '',
      handle: async ([id], call) => {
        const session = await intelligence(call);
        budget.spend(session, 1);
        await capabilityRequests.withdraw(session.principal, textArgument(id));
        return [];
      },
    },
  };
}

/** What a caller may not see it cannot ask for either, in the same words as what is not there. */
function requireVisible(
  capability: unknown,
  session: Session,
  { world, listing }: Pick<SelfDeps, 'world' | 'listing'>,
): void {
  const seen = world.registry
    .list(session.epoch)
    .some((entry) => entry.capability.id === capability && listing.sees(session, entry));
  if (seen) return;
  throw new CallError(
    'NotFound',
    'no such capability is available to this caller: list again, and give its id exactly',
  );
}
