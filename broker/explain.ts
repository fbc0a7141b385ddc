// SPDX-License-Identifier: Apache-2.0
import type { Intent } from '../policy/intent.ts';
import type { Attempt } from './intent/attempt.ts';
import { prepareInvocation } from './intent/prepare.ts';
import { Refusal } from './intent/stage.ts';
import type { Judge } from './world.ts';

/**
 * What Dispatch would do with this intent now: the same judgement, and nothing within reach that could act. Says no more
 * than Dispatch would: the rule that decides is for the operator.
 */
export function explain(intent: Intent, attempt: Attempt, judge: Judge): Readonly<Record<string, unknown>> {
  try {
    const { entry, classification, decision, digest } = prepareInvocation(intent, attempt, judge);
    return {
      effect: decision.effect,
      stage: decision.effect === 'ask' ? 'confirm' : attempt.stage,
      capability: entry.capability.id,
      version: entry.capability.version,
      gate: decision.gate,
      risk: classification.risk,
      access: classification.access,
      network: classification.network,
      digest,
      ...(entry.capability.undoWindowMs === undefined
        ? {}
        : { undo_window_ms: entry.capability.undoWindowMs }),
    };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { effect: 'deny', stage: attempt.stage, code: error.code, message: error.message };
  }
}
