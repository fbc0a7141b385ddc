// SPDX-License-Identifier: Apache-2.0
import { type Classification, type Gate, type Profile, stricter } from './classify.ts';

/** What is known about the process behind a capability: two facts, and lacking one does not excuse lacking the other. */
export interface ProviderStanding {
  /** More than its own word says that it is the app. */
  readonly bound: boolean;
  /** Its manifest is signed by a trusted key; otherwise it was accepted for development. */
  readonly signed: boolean;
}

/** Everything the decision depends on. No clock, no files, no bus: equal input gives an equal decision. */
export interface Question {
  readonly classification: Classification;
  readonly profile: Profile;
  readonly provider: ProviderStanding;
  /** The caller wants a person to look at it, whatever the policy says. */
  readonly requireApproval: boolean;
  /** Switched off by the administrator: always denied. */
  readonly locked: boolean;
  /** False for the broker's own capabilities that reach outside, until the administrator enables them. */
  readonly enabled: boolean;
  /** The person at the desk takes back what was done: they are not asked whether they meant it. */
  readonly takenBackByPerson: boolean;
}

export type Effect = 'allow' | 'ask' | 'deny';

/** What decided: for the operator and the record, never for an intelligence. */
export type Decider =
  | 'locked'
  | 'not-enabled'
  | 'person'
  | 'require-approval'
  | 'provider-unsigned'
  | 'provider-unbound'
  | 'gate'
  | 'evaluation-failed';

export interface Decision {
  readonly effect: Effect;
  readonly gate: Gate;
  readonly decider: Decider;
}

/**
 * Decides one intent. Denying beats every way of allowing; a gate can be raised here and never lowered.
 * An error inside the evaluation denies.
 */
export function decide(question: Question): Decision {
  try {
    return evaluate(question);
  } catch {
    return { effect: 'deny', gate: 'confirm', decider: 'evaluation-failed' };
  }
}

function evaluate(question: Question): Decision {
  const { access, gate } = question.classification;
  if (question.locked) return { effect: 'deny', gate, decider: 'locked' };
  if (!question.enabled) return { effect: 'deny', gate, decider: 'not-enabled' };
  if (question.takenBackByPerson) return { effect: 'allow', gate, decider: 'person' };
  if (question.requireApproval) return { effect: 'ask', gate: 'confirm', decider: 'require-approval' };
  if (!question.provider.signed && access === 'write') {
    return { effect: 'ask', gate: 'confirm', decider: 'provider-unsigned' };
  }
  if (!question.provider.bound) {
    const asking = question.profile === 'strict' ? 'confirm' : 'ask';
    return { effect: 'ask', gate: stricter(gate, asking), decider: 'provider-unbound' };
  }
  return { effect: gate === 'automatic' ? 'allow' : 'ask', gate, decider: 'gate' };
}
