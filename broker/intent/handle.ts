// SPDX-License-Identifier: Apache-2.0

import type { Intent } from '../../policy/intent.ts';
import { type Permit, permit } from '../../policy/permit.ts';
import { type Approved, askAgain, askPerson, asMeant, Joined } from '../approval/ask-person.ts';
import type { Waiting } from '../approval/restore.ts';
import type { World } from '../world.ts';
import type { Attempt } from './attempt.ts';
import { execute } from './execute.ts';
import { holdGrant, openSession } from './grants.ts';
import type { Outcome } from './outcome.ts';
import { type Prepared, prepareInvocation } from './prepare.ts';
import { prepareUndo } from './prepare-undo.ts';
import { joined, refuse } from './refuse.ts';
import { allowanceUsedUp, Refusal } from './stage.ts';
import type { UndoRecord } from './undo.ts';

/** What a caller can ask for: something to be done, or something done to be taken back. Both take the same path. */
export type Action =
  | { readonly kind: 'invoke'; readonly intent: Intent }
  | {
      readonly kind: 'undo';
      readonly invocation: string;
      /** What is known of it; undefined when there is nothing to take back, or nothing of this caller's. */
      readonly undo: UndoRecord | undefined;
      readonly byPerson: boolean;
      /** The caller's words to the person. */
      readonly reason?: string | undefined;
    };

/** What may run now. */
interface Licensed {
  /** What was asked for, or what the person made of it. */
  readonly action: Action;
  readonly ready: Prepared;
  readonly licence: Permit;
  readonly approval: Approved | undefined;
}

/**
 * The one path. Whatever acts in this process came through here: checked, decided, asked about where a person must
 * answer, recorded before it runs and recorded after. Whatever goes wrong before it runs denies, at the stage it names;
 * once it may have run, nothing is called denied any more. What waited for a person before a restart goes on waiting
 * here, and takes the whole path again once it is answered.
 */
export async function handle(
  action: Action,
  attempt: Attempt,
  world: World,
  waiting?: Waiting,
): Promise<Outcome> {
  const outcome = await walk(action, attempt, world, waiting);
  world.desk.ended(attempt.invocation, outcome);
  return outcome;
}

async function walk(
  action: Action,
  attempt: Attempt,
  world: World,
  waiting: Waiting | undefined,
): Promise<Outcome> {
  let licensed: Licensed;
  try {
    licensed =
      waiting === undefined
        ? await license(action, attempt, world)
        : await licenseAgain(waiting, attempt, world);
    attempt.reach('record');
    await record(licensed, attempt, world);
  } catch (error) {
    attempt.hold?.release();
    return error instanceof Joined
      ? await joined(error.outcome, attempt, world)
      : await refuse(error, attempt, world);
  }
  openSession(licensed, attempt, world);
  const outcome = await execute(licensed.action, licensed.ready, licensed.licence, attempt, world);
  const note = licensed.approval?.note;
  return note === undefined ? outcome : { ...outcome, note };
}

/** Policy allows it, a grant answers where policy asks, or else a person does. */
async function license(action: Action, attempt: Attempt, world: World): Promise<Licensed> {
  const ready = prepare(action, attempt, world);
  attempt.decision = ready.decision;
  attempt.reach('grants');
  spendAllowance(action, ready, attempt, world);
  attempt.hold = holdGrant(action, ready, attempt, world);
  attempt.reach('confirm');
  if (ready.decision.effect === 'ask' && attempt.hold === undefined) {
    const approval = await askPerson(action, ready, attempt, world, lookingIn(world));
    return licenseApproved(action, approval, attempt, world);
  }
  return { action, ready, licence: permit(ready.decision, ready.digest, attempt.hold), approval: undefined };
}

async function licenseAgain(waiting: Waiting, attempt: Attempt, world: World): Promise<Licensed> {
  attempt.reach('confirm');
  const approval = await askAgain(waiting, attempt, world, lookingIn(world));
  return licenseApproved(waiting.action, approval, attempt, world);
}

/** The person took time: everything is checked again on what is true now, and only the asking counts as satisfied. */
function licenseApproved(action: Action, approval: Approved, attempt: Attempt, world: World): Licensed {
  const meant = asMeant(action, approval.params);
  const ready = prepare(meant, attempt, world);
  if (meant !== action) attempt.decision = ready.decision; // another invocation, and so a decision of its own
  attempt.reach('confirm');
  return { action: meant, ready, licence: permit(ready.decision, ready.digest, approval), approval };
}

function prepare(action: Action, attempt: Attempt, world: World): Prepared {
  return action.kind === 'invoke'
    ? prepareInvocation(action.intent, attempt, world)
    : prepareUndo(action.undo, action.byPerson, attempt, world);
}

function lookingIn(world: World) {
  return (action: Action, attempt: Attempt): Prepared => prepare(action, attempt, world);
}

function spendAllowance(action: Action, ready: Prepared, attempt: Attempt, world: World): void {
  if (action.kind === 'undo' && action.byPerson) return;
  const { id } = ready.entry.capability;
  const within = world.allowances.spend({
    principal: attempt.caller.principal.id,
    capability: action.kind === 'undo' ? `undo ${id}` : id,
    turn: action.kind === 'undo' ? undefined : action.intent.turn,
    allowed: ready.entry.capability.bounds.maxInvocationsPerTurn,
    now: world.now(),
  });
  if (!within) throw allowanceUsedUp();
}

/**
 * The intent record is durable before anything runs; a read's may lag behind a power cut, anything else's may not. A use of
 * a grant is counted with it or not at all.
 */
async function record({ ready }: Licensed, attempt: Attempt, world: World): Promise<void> {
  if (attempt.signal.aborted) throw new Refusal('Withdrawn', 'withdrawn before it ran');
  const { hold } = attempt;
  const { access, network } = ready.classification;
  const reads = access === 'read' && network === 'local';
  // What a grant answered for waits for nobody.
  const within = hold === undefined ? world.desk.starting(attempt.invocation) : () => hold.commit();
  await world.records.append(attempt.event('requested', world.now()), reads ? 'normal' : 'full', within);
  hold?.settled();
  attempt.decision = undefined;
}
