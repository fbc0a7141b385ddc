// SPDX-License-Identifier: Apache-2.0
import { PolicyError } from '../../policy/error.ts';
import { GrantError } from '../grant/error.ts';
import { StoreError } from '../store/error.ts';
import type { World } from '../world.ts';
import type { Attempt } from './attempt.ts';
import type { Outcome } from './outcome.ts';
import { type Code, Refusal } from './stage.ts';

/** Nothing ran. Says why to the caller, and the whole truth to the record. */
export async function refuse(error: unknown, attempt: Attempt, world: World): Promise<Outcome> {
  const { code, message, note, recorded } = refusalOf(error, world);
  const { stage, invocation } = attempt;
  const expired = code === 'Expired';
  let auditId: string | undefined;
  try {
    const event = attempt.event(expired ? 'expired' : 'denied', world.now(), recorded ?? { stage, code });
    auditId = await world.records.append(event, 'normal', world.desk.ending(invocation));
  } catch (unrecorded) {
    world.fault(unrecorded);
  }
  return {
    invocation,
    status: expired ? 'expired' : 'denied',
    stage,
    code,
    error: { code, message, recoverable: RECOVERABLE.has(code) },
    ...(note === undefined ? {} : { note }),
    ...(auditId === undefined ? {} : { audit_id: auditId }),
  };
}

/**
 * The same was waiting already, and that is how it ended; nothing ran for this one. The outcome is handed on as it is: its
 * `invocation` is the one that ran and can be taken back.
 */
export async function joined(outcome: Outcome, attempt: Attempt, world: World): Promise<Outcome> {
  try {
    await world.records.append(attempt.event('joined', world.now()), 'normal');
  } catch (unrecorded) {
    world.fault(unrecorded);
  }
  return outcome;
}

const RECOVERABLE: ReadonlySet<Code> = new Set<Code>([
  'InvalidParams',
  'Ambiguous',
  'LimitExceeded',
  'NoConfirmer',
  'Expired',
  'Void',
  'ApprovalMismatch',
]);

function refusalOf(error: unknown, world: World): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof PolicyError || error instanceof GrantError) {
    return new Refusal('ApprovalMismatch', error.message);
  }
  if (error instanceof StoreError) {
    world.fault(error);
    return new Refusal(
      'RecordFailed',
      'it could not be recorded, so it did not run: free disk space or mend the store, then retry',
    );
  }
  return new Refusal('Failed', `the broker failed at this stage and denied: fault ${world.fault(error)}`);
}
