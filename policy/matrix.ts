// SPDX-License-Identifier: Apache-2.0
import { mayUse } from './authorise.ts';
import type { Gate } from './classify.ts';
import type { Decider, Effect } from './decide.ts';
import { outlook } from './outlook.ts';
import type { Principal } from './principal.ts';
import { type Circumstances, type Subject, standingQuestion } from './standing-question.ts';

/** What one principal may do with one capability now, for no particular target. */
export interface MatrixRow {
  readonly principal: string;
  readonly capability: string;
  /** The strictest that is possible. */
  readonly effect: Effect;
  readonly gate: Gate;
  /** `level`: the principal may not even see the capability. */
  readonly decider: Decider | 'level';
  /** Id of the rule that decides, where one does. */
  readonly rule?: string;
  readonly depends_on_target: boolean;
  readonly possible: readonly Effect[];
}

/** The effective policy of this moment: for every principal and every capability, as they are given. */
export function matrix(
  principals: readonly Principal[],
  subjects: readonly Subject[],
  circumstances: Circumstances,
): readonly MatrixRow[] {
  return principals.flatMap((principal) =>
    subjects.map((subject) => ({
      principal: principal.id,
      capability: subject.capability.id,
      ...cell(principal, subject, circumstances),
    })),
  );
}

function cell(
  principal: Principal,
  subject: Subject,
  circumstances: Circumstances,
): Omit<MatrixRow, 'principal' | 'capability'> {
  const { capability, classification } = subject;
  if (!mayUse(principal, capability, classification)) {
    const { gate } = classification;
    return { effect: 'deny', gate, decider: 'level', depends_on_target: false, possible: ['deny'] };
  }
  const { effect, gate, decider, rule, dependsOnTarget, possible } = outlook(
    standingQuestion(principal, subject, circumstances),
  );
  return {
    effect,
    gate,
    decider,
    ...(rule === undefined ? {} : { rule: rule.id }),
    depends_on_target: dependsOnTarget,
    possible,
  };
}
