// SPDX-License-Identifier: Apache-2.0
import { PolicyError } from '../../policy/error.ts';
import { type GrantFacts, sessionGrant } from '../../policy/grant.ts';
import type { Intent } from '../../policy/intent.ts';
import type { Approved } from '../approval/ask-person.ts';
import type { Hold } from '../grant/hold.ts';
import type { Ledger } from '../grant/ledger.ts';
import type { World } from '../world.ts';
import type { Attempt } from './attempt.ts';
import type { Action } from './handle.ts';
import type { Prepared } from './prepare.ts';

const MINUTE_MS = 60_000;

/**
 * Takes one use of a grant that covers this invocation, where policy asks and leaves room for one. What is taken back is
 * never covered: a grant was given for doing.
 */
export function holdGrant(action: Action, ready: Prepared, attempt: Attempt, world: World): Hold | undefined {
  const { effect, grantable } = ready.decision;
  if (action.kind === 'undo' || effect !== 'ask' || !grantable) return undefined;
  const hold = world.grants.hold(wanted(action.intent, ready, attempt, world.now()));
  if (hold !== undefined) attempt.decider = hold.grant === 'session' ? 'grant:session' : 'grant';
  return hold;
}

/** The grant that would answer for this intent, without taking anything of it. */
export function grantThatAnswers(
  intent: Intent,
  ready: Prepared,
  attempt: Attempt,
  { grants, now }: { readonly grants: Pick<Ledger, 'answering'>; readonly now: () => number },
): string | undefined {
  const { effect, grantable } = ready.decision;
  if (effect !== 'ask' || !grantable) return undefined;
  return grants.answering(wanted(intent, ready, attempt, now()));
}

/** Where the person answered for the session: from now on the same, on the same literal target, is not asked about. */
export function openSession(
  {
    action,
    ready,
    approval,
  }: { readonly action: Action; readonly ready: Prepared; readonly approval: Approved | undefined },
  attempt: Attempt,
  world: World,
): void {
  const minutes = approval?.sessionMinutes;
  const [target] = ready.targets === 'undetermined' ? [] : ready.targets;
  if (approval === undefined || minutes === undefined || target === undefined) return;
  if (action.kind === 'undo' || !ready.decision.grantable) return;
  try {
    const facts = factsOf(action.intent.session, ready, attempt);
    const bounds = { expiresAt: world.now() + minutes * MINUTE_MS, reason: 'answered for the session' };
    const grant = sessionGrant(world.newId(), facts, target.value, bounds, world.policyLimits);
    world.grants.openSession(grant, approval.decider);
  } catch (error) {
    // A target too long for a pattern: then the answer was for once, and the next time is asked about.
    if (!(error instanceof PolicyError)) throw error;
  }
}

function wanted({ session }: Intent, ready: Prepared, attempt: Attempt, now: number): GrantFacts {
  return { ...factsOf(session, ready, attempt), params: JSON.parse(ready.params), now };
}

function factsOf(
  session: string | undefined,
  { entry, targets, classification }: Prepared,
  { caller }: Attempt,
): Omit<GrantFacts, 'params' | 'now'> {
  return {
    principal: caller.principal,
    connection: caller.connection,
    session,
    capability: entry.capability.id,
    definitionDigest: entry.capability.digest,
    targets,
    access: classification.access,
  };
}
