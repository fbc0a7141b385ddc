// SPDX-License-Identifier: Apache-2.0
import type { Gate } from './classify.ts';
import { type Decision, decide, type Effect, type Question } from './decide.ts';

/** A question before its target is known. */
export interface OpenQuestion extends Omit<Question, 'targets'> {
  /** Whether the definition declares targets; where it declares none, there is nothing to wait for. */
  readonly declaresTargets: boolean;
}

/** What can be said of a decision whose target is not known. Never more certain than the rules are. */
export interface Outlook {
  /** The strictest effect that is possible. */
  readonly effect: Effect;
  /** The strictest gate that is possible. */
  readonly gate: Gate;
  /** Whether effect, gate or grantable can differ from target to target. */
  readonly dependsOnTarget: boolean;
  /** Every effect that a target could lead to, the strictest first. */
  readonly possible: readonly Effect[];
  /** Whether a grant may answer wherever this asks. */
  readonly grantable: boolean;
  readonly decider: Decision['decider'];
  /** The rule that leads to the strictest effect, where one does. */
  readonly rule: Decision['rule'];
}

/** Decides as far as that can be done without knowing the target. Never throws. */
export function outlook(question: OpenQuestion): Outlook {
  const { effect, gate, grantable, decider, rule } = decide({ ...question, targets: 'undetermined' });
  return { effect, gate, dependsOnTarget: false, possible: [effect], grantable, decider, rule };
}
