// SPDX-License-Identifier: Apache-2.0
import type { Intent } from '../policy/intent.ts';
import type { Ledger } from './grant/ledger.ts';
import type { Allowances } from './intent/allowance.ts';
import { Attempt } from './intent/attempt.ts';
import { grantThatAnswers } from './intent/grants.ts';
import { type Prepared, prepareInvocation } from './intent/prepare.ts';
import { allowanceUsedUp, Refusal, type Stage } from './intent/stage.ts';
import type { Judge } from './world.ts';

/** What judging needs, and a look at what would be spent. Nothing in here can act, ask or spend. */
export interface Explainer extends Judge {
  readonly allowances: Pick<Allowances, 'hasLeft'>;
  readonly grants: Pick<Ledger, 'answering'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

interface Foreseen {
  readonly effect: 'allow' | 'ask' | 'deny';
  /** The stage that decides. */
  readonly stage: Stage;
  readonly ready: Prepared | undefined;
  /** The grant that would answer. */
  readonly grant: string | undefined;
  readonly refusal: Refusal | undefined;
}

/**
 * What Dispatch would do with this intent now: the same judgement, and nothing within reach that could act. Says no more
 * than Dispatch would: the rule that decides is for the operator.
 */
export function explain(
  intent: Intent,
  attempt: Attempt,
  explainer: Explainer,
): Readonly<Record<string, unknown>> {
  const { effect, stage, ready, refusal } = foresee(intent, attempt, explainer);
  if (refusal !== undefined) return { effect, stage, code: refusal.code, message: refusal.message };
  return { effect, stage, ...described(ready) };
}

/** The same for the operator, who may know everything: each stage, the rules, and what would change the outcome. */
export function explainFully(
  intent: Intent,
  attempt: Attempt,
  explainer: Explainer,
): Readonly<Record<string, unknown>> {
  const traced = new TracedAttempt(attempt);
  const { effect, stage, ready, grant, refusal } = foresee(intent, traced, explainer);
  const decision = ready?.decision ?? traced.decision;
  // The stage that the record would name; a caller hears of another where it may not know.
  const ending = refusal?.recorded?.stage ?? stage;
  return {
    effect,
    stage: ending,
    ...(refusal === undefined
      ? {}
      : { code: refusal.recorded?.code ?? refusal.code, message: refusal.message }),
    ...described(ready),
    stages: [...traced.passed].map((each) => ({
      stage: each,
      result: each === ending && effect !== 'allow' ? effect : 'passed',
    })),
    ...(decision === undefined
      ? {}
      : {
          decider: decision.decider,
          ...(decision.rule === undefined
            ? {}
            : { rule: decision.rule.id, specificity: decision.rule.specificity }),
          considered: decision.considered,
          would_change: decision.wouldChange,
        }),
    ...(grant === undefined ? {} : { grant }),
    ...(ready === undefined || ready.targets === 'undetermined'
      ? {}
      : { targets: ready.targets.map(({ value }) => value) }),
  };
}

function foresee(intent: Intent, attempt: Attempt, explainer: Explainer): Foreseen {
  try {
    const ready = prepareInvocation(intent, attempt, explainer);
    attempt.reach('grants');
    const use = {
      principal: attempt.caller.principal.id,
      capability: ready.entry.capability.id,
      turn: intent.turn,
      allowed: ready.entry.capability.bounds.maxInvocationsPerTurn,
      now: explainer.now(),
    };
    if (!explainer.allowances.hasLeft(use)) throw allowanceUsedUp();
    const grant = grantThatAnswers(intent, ready, attempt, explainer);
    attempt.reach('confirm');
    const asks = ready.decision.effect === 'ask' && grant === undefined;
    return {
      effect: asks ? 'ask' : 'allow',
      stage: asks ? 'confirm' : grant === undefined ? 'policy' : 'grants',
      ready,
      grant,
      refusal: undefined,
    };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { effect: 'deny', stage: attempt.stage, ready: undefined, grant: undefined, refusal: error };
  }
}

function described(ready: Prepared | undefined): Readonly<Record<string, unknown>> {
  if (ready === undefined) return {};
  const { entry, classification, decision, digest } = ready;
  const { id, version, undoWindowMs } = entry.capability;
  return {
    capability: id,
    version,
    gate: decision.gate,
    risk: classification.risk,
    access: classification.access,
    network: classification.network,
    digest,
    ...(undoWindowMs === undefined ? {} : { undo_window_ms: undoWindowMs }),
  };
}

/** An attempt that remembers the stages it passed. */
class TracedAttempt extends Attempt {
  readonly passed = new Set<Stage>();

  override reach(stage: Stage): void {
    super.reach(stage);
    this.passed.add(stage);
  }
}
