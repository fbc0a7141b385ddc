// SPDX-License-Identifier: Apache-2.0

import { PolicyError } from '../../policy/error.ts';
import type { Intent } from '../../policy/intent.ts';
import { type Approval, type Permit, permit } from '../../policy/permit.ts';
import { askPerson } from '../approval/question.ts';
import { StoreError } from '../store/error.ts';
import type { World } from '../world.ts';
import type { Attempt } from './attempt.ts';
import { execute } from './execute.ts';
import type { Outcome } from './outcome.ts';
import { type Prepared, prepareInvocation } from './prepare.ts';
import { prepareUndo } from './prepare-undo.ts';
import { type Code, Refusal } from './stage.ts';
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

/**
 * The one path. Whatever acts in this process came through here: checked, decided, asked about where a person must
 * answer, recorded before it runs and recorded after. Whatever goes wrong before it runs denies, at the stage it names;
 * once it may have run, nothing is called denied any more.
 */
export async function handle(action: Action, attempt: Attempt, world: World): Promise<Outcome> {
  let ready: Prepared;
  let licence: Permit;
  try {
    ready = prepare(action, attempt, world);
    spendAllowance(action, ready, attempt, world);

    let approval: Approval | undefined;
    if (ready.decision.effect === 'ask') {
      attempt.reach('confirm');
      approval = await askPerson(action, ready, attempt, world);
      // The person took time: everything is checked again on what is true now, and only the asking counts as satisfied.
      ready = prepare(action, attempt, world);
      attempt.decider = approval.decider;
    }
    attempt.reach('confirm');
    licence = permit(ready.decision, ready.digest, approval);

    attempt.reach('record');
    await record(ready, attempt, world);
  } catch (error) {
    return await refuse(error, attempt, world);
  }
  return await execute(action, ready, licence, attempt, world);
}

function prepare(action: Action, attempt: Attempt, world: World): Prepared {
  return action.kind === 'invoke'
    ? prepareInvocation(action.intent, attempt, world)
    : prepareUndo(action.undo, action.byPerson, attempt, world);
}

function spendAllowance(action: Action, ready: Prepared, attempt: Attempt, world: World): void {
  attempt.reach('grants');
  if (action.kind === 'undo') return;
  const within = world.allowances.spend({
    principal: attempt.caller.principal.id,
    capability: ready.entry.capability.id,
    turn: action.intent.turn,
    allowed: ready.entry.capability.bounds.maxInvocationsPerTurn,
    now: world.now(),
  });
  if (!within)
    throw new Refusal(
      'LimitExceeded',
      'this turn has used up its invocations of this capability: wait a minute',
    );
}

/** The intent record is durable before anything runs; a read's may lag behind a power cut, anything else's may not. */
async function record(ready: Prepared, attempt: Attempt, world: World): Promise<void> {
  if (attempt.signal.aborted) throw new Refusal('Withdrawn', 'withdrawn before it ran');
  const reads = ready.classification.access === 'read' && ready.classification.network === 'local';
  await world.records.append(attempt.event('requested', world.now()), reads ? 'normal' : 'full');
}

/** Nothing ran. Says why to the caller, and the whole truth to the record. */
async function refuse(error: unknown, attempt: Attempt, world: World): Promise<Outcome> {
  const { code, message, note, recorded } = refusalOf(error, world);
  const { stage } = attempt;
  const expired = code === 'Expired';
  let auditId: string | undefined;
  try {
    const truth = recorded ?? { stage, code };
    auditId = await world.records.append(
      attempt.event(expired ? 'expired' : 'denied', world.now(), truth),
      'normal',
    );
  } catch (unrecorded) {
    world.fault(unrecorded);
  }
  return {
    invocation: attempt.invocation,
    status: expired ? 'expired' : 'denied',
    stage,
    code,
    error: { code, message, recoverable: RECOVERABLE.has(code) },
    ...(note === undefined ? {} : { note }),
    ...(auditId === undefined ? {} : { audit_id: auditId }),
  };
}

const RECOVERABLE: ReadonlySet<Code> = new Set<Code>([
  'InvalidParams',
  'Ambiguous',
  'LimitExceeded',
  'NoConfirmer',
  'Expired',
  'ApprovalMismatch',
]);

function refusalOf(error: unknown, world: World): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof PolicyError) return new Refusal('ApprovalMismatch', error.message);
  if (error instanceof StoreError) {
    world.fault(error);
    return new Refusal(
      'RecordFailed',
      'it could not be recorded, so it did not run: free disk space or mend the store, then retry',
    );
  }
  return new Refusal('Failed', `the broker failed at this stage and denied: fault ${world.fault(error)}`);
}
