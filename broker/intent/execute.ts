// SPDX-License-Identifier: Apache-2.0
import type { Permit } from '../../policy/permit.ts';
import type { AuditEvent } from '../audit/event.ts';
import { boundData, ProviderFailure, type ProviderResult } from '../provider/result.ts';
import type { World } from '../world.ts';
import type { Attempt } from './attempt.ts';
import type { Action } from './handle.ts';
import type { Outcome } from './outcome.ts';
import type { Prepared } from './prepare.ts';

/**
 * Runs what was permitted, once, within its bounds, and records how it ended. From here on something may have happened,
 * so nothing is reported as denied: an ending that nobody vouches for is `unknown` for whatever may have written.
 */
export async function execute(
  action: Action,
  ready: Prepared,
  licence: Permit,
  attempt: Attempt,
  world: World,
): Promise<Outcome> {
  let outcome: Ended;
  let resultSize = 0;
  try {
    attempt.reach('dispatch');
    licence.spend();
    if (attempt.signal.aborted) {
      throw new ProviderFailure('Cancelled', 'withdrawn before it was handed to the app', { says: 'failed' });
    }
    takeUndo(ready, world);
    const result = await world.providers.run(action, ready, attempt);
    resultSize = result.bytes;
    attempt.reach('result');
    checkResult(action, ready, result, world);
    outcome = succeeded(action, ready, result, attempt, world);
  } catch (error) {
    outcome = failed(error, ready, world);
  }
  return await conclude(outcome, resultSize, ready, attempt, world);
}

type Ended = Omit<Outcome, 'invocation' | 'stage' | 'audit_id'>;

/** An undo works once: of two at the same time one finds nothing left. */
function takeUndo({ undo }: Prepared, world: World): void {
  if (undo !== undefined && world.undos.take(undo.invocation, world.now()) === undefined) {
    throw new ProviderFailure('UndoGone', 'it is undone already, or its time is over', { says: 'failed' });
  }
}

function checkResult(action: Action, ready: Prepared, result: ProviderResult, world: World): void {
  const { capability } = ready.entry;
  boundData(result.data, capability.bounds.maxResultBytes);
  boundData(result.stateAfter, capability.bounds.maxResultBytes);
  // What an undo returns has no declared shape: only its size is bounded.
  if (action.kind === 'undo') return;
  const fault = world.schemas.validatorFor(capability, 'returns')(result.data ?? {});
  if (fault === undefined) return;
  throw new ProviderFailure(
    'ResultInvalid',
    `the app's result does not match its own schema at \`${fault.pointer}\` (${fault.keyword})`,
    {
      says: 'nothing',
      overBound: true,
    },
  );
}

function succeeded(
  action: Action,
  ready: Prepared,
  result: ProviderResult,
  attempt: Attempt,
  world: World,
): Ended {
  const { capability } = ready.entry;
  attempt.reach('undo');
  const undo = action.kind === 'invoke' ? openUndo(ready, result, attempt, world) : undefined;
  attempt.reach('outcome');
  return {
    status: 'executed',
    result: result.data,
    trust: capability.outputTrust,
    ...(result.stateAfter === null ? {} : { state_after: result.stateAfter }),
    ...(undo === undefined ? {} : { undo }),
  };
}

/** What was only read leaves nothing to take back, whatever the app says. */
function openUndo(
  { entry, targets, classification }: Prepared,
  { undoToken: token }: ProviderResult,
  attempt: Attempt,
  world: World,
): { until: number } | undefined {
  const window = entry.capability.undoWindowMs;
  if (token === undefined || window === undefined || classification.access === 'read') return undefined;
  const now = world.now();
  const until = now + window;
  const { invocation, caller } = attempt;
  world.undos.keep({ invocation, principal: caller.principal.id, entry, targets, token, until }, now);
  return { until };
}

function failed(error: unknown, ready: Prepared, world: World): Ended {
  const failure =
    error instanceof ProviderFailure
      ? error
      : new ProviderFailure('Failed', `the broker failed while it ran: fault ${world.fault(error)}`, {
          says: 'nothing',
        });
  if (failure.overBound) strike(ready, world);
  const mayHaveWritten = failure.says === 'nothing' && ready.classification.access === 'write';
  return {
    status: mayHaveWritten ? 'unknown' : 'failed',
    code: failure.code,
    error: {
      code: failure.code,
      message: failure.message,
      recoverable: failure.recoverable && !mayHaveWritten,
    },
  };
}

/** Whatever comes of that, it must not change how this invocation ended. */
function strike({ entry }: Prepared, world: World): void {
  try {
    world.providers.brokeBound(entry);
  } catch (error) {
    world.fault(error);
  }
}

/** Writes the outcome; one that cannot be written is withheld, since an unrecorded result would be an unrecorded act. */
async function conclude(
  ended: Ended,
  resultSize: number,
  { undo }: Prepared,
  attempt: Attempt,
  world: World,
): Promise<Outcome> {
  const { invocation, stage } = attempt;
  const over = world.desk.ending(invocation);
  const type = ended.status === 'executed' ? 'executed' : ended.status === 'unknown' ? 'unknown' : 'failed';
  const more: Partial<AuditEvent> =
    ended.code === undefined ? { resultSize } : { resultSize, code: ended.code };
  try {
    const events = [attempt.event(type, world.now(), more)];
    if (undo !== undefined && ended.status === 'executed') {
      events.push(attempt.event('undone', world.now(), { invocation: undo.invocation }));
    }
    const [auditId = ''] = await Promise.all(
      events.map((event, index) => world.records.append(event, 'normal', index === 0 ? over : undefined)),
    );
    return { invocation, stage, ...ended, audit_id: auditId };
  } catch (error) {
    world.fault(error);
    world.undos.take(invocation, world.now());
    const message = 'it ran, but how it ended could not be recorded: look before you retry';
    return {
      invocation,
      stage: 'outcome',
      status: 'unknown',
      code: 'RecordFailed',
      error: { code: 'RecordFailed', message, recoverable: false },
    };
  }
}
