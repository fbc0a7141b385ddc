// SPDX-License-Identifier: Apache-2.0
import { type Classification, type Gate, type Profile, stricter } from './classify.ts';

/** Everything the decision depends on. No clock, no files, no bus: equal input gives an equal decision. */
export interface Question {
  readonly classification: Classification;
  readonly profile: Profile;
  /** Whether anything but the app's own word says that the provider is the app it claims to be. */
  readonly providerBound: boolean;
  /** The caller wants a person to look at it, whatever the policy says. */
  readonly requireApproval: boolean;
  /** Capabilities the administrator switched off; always denied. */
  readonly locked: boolean;
  /** False while the administrator has not enabled the broker's own capabilities that reach outside. */
  readonly enabled: boolean;
}

export type Effect = 'allow' | 'ask' | 'deny';

export interface Decision {
  readonly effect: Effect;
  readonly gate: Gate;
  /** The name of what decided, for the operator and the record: never shown to an intelligence. */
  readonly decider:
    | 'locked'
    | 'not-enabled'
    | 'gate'
    | 'require-approval'
    | 'provider-unbound'
    | 'evaluation-failed';
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
  const { gate } = question.classification;
  if (question.locked) return { effect: 'deny', gate, decider: 'locked' };
  if (!question.enabled) return { effect: 'deny', gate, decider: 'not-enabled' };
  if (question.requireApproval) return { effect: 'ask', gate: 'confirm', decider: 'require-approval' };
  if (!question.providerBound) {
    return { effect: 'ask', gate: stricter(gate, askingGate(question.profile)), decider: 'provider-unbound' };
  }
  return { effect: gate === 'automatic' ? 'allow' : 'ask', gate, decider: 'gate' };
}

function askingGate(profile: Profile): Gate {
  return profile === 'strict' ? 'confirm' : 'ask';
}
