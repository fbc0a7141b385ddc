// SPDX-License-Identifier: Apache-2.0
import type { Judge } from '../world.ts';
import type { Attempt } from './attempt.ts';
import { authorise, decideFor, digestOf, type Prepared, resolve } from './prepare.ts';
import { Refusal } from './stage.ts';
import type { UndoRecord } from './undo.ts';

/**
 * Walks the undoing of one executed intent along the same stages, with the original's definition, classification and
 * target. The person at the desk who takes something back is not asked whether they meant it.
 *
 * @throws Refusal at the stage that `attempt` has reached
 */
export function prepareUndo(
  undo: UndoRecord | undefined,
  byPerson: boolean,
  attempt: Attempt,
  world: Judge,
): Prepared {
  attempt.reach('context');
  // Somebody else's is answered like none at all.
  if (undo === undefined || !(byPerson || undo.principal === attempt.caller.principal.id)) {
    attempt.reach('undo');
    throw new Refusal(
      'UndoGone',
      'there is nothing of yours to undo under this invocation, or its time is over',
    );
  }
  const { id, version, digest } = undo.entry.capability;

  attempt.reach('resolve');
  const entry = resolve(id, version, attempt, world);
  attempt.reach('undo');
  if (entry.provider !== undo.entry.provider || entry.capability.digest !== digest) {
    throw new Refusal(
      'UndoGone',
      'the app that did it is gone or has changed: it cannot be undone from here',
    );
  }

  attempt.reach('authority');
  const classification = authorise(entry, attempt, world);

  // There are no parameters to validate and no target to derive: both are the original's.
  attempt.reach('target');
  const params = JSON.stringify({ undo: undo.invocation });
  const bound = digestOf('undo', entry, undo.targets, Buffer.from(params, 'utf8'), attempt, world);

  attempt.reach('policy');
  const wishes = { requireApproval: false, takenBackByPerson: byPerson };
  const decision = decideFor(entry, classification, undo.targets, wishes, attempt, world);
  return {
    entry,
    classification,
    targets: undo.targets,
    decision,
    digest: bound,
    params,
    timeoutMs: entry.capability.bounds.timeoutMs,
    undo,
  };
}
