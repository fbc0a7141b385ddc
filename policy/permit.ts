// SPDX-License-Identifier: Apache-2.0
import type { Decision } from './decide.ts';
import { PolicyError } from './error.ts';

/** A person's yes, given for exactly the invocation with this digest. */
export interface Approval {
  readonly digest: string;
  /** Who decided: a confirmer's connection or a named person, as the bus says. */
  readonly decider: string;
}

/** A live grant that covers the invocation, held for it: the person's earlier yes to all that it covers. */
export interface Standing {
  /** The grant's id, or `session` for an answer for the session. */
  readonly grant: string;
}

class SealedPermit {
  /** A value that only looks like a permit has no such field, so the type check refuses it. */
  readonly #sealed = true;
  readonly digest: string;
  readonly decider: string;
  #spent = false;

  constructor(digest: string, decider: string) {
    this.digest = digest;
    this.decider = decider;
  }

  /** A permit is good for one execution. */
  spend(): void {
    if (!this.#sealed || this.#spent)
      throw new PolicyError('ApprovalMismatch', 'this permit was used before');
    this.#spent = true;
  }
}

/** The licence to execute one invocation once. Only this file makes one. */
export type Permit = SealedPermit;

/**
 * Turns a decision (and, where it asks, a person's approval of this very digest, or a grant where the decision leaves
 * room for one) into a permit. An approval of another digest counts against it even where nobody would have to be asked
 * any more: what a person saw is not what would run.
 *
 * @throws PolicyError `ApprovalMismatch` for a denial, a missing answer, an approval of another digest, or a grant where
 *   only a person's fresh answer counts
 */
export function permit(decision: Decision, digest: string, answer?: Approval | Standing): Permit {
  const decider = deciderFor(decision, digest, answer);
  if (decider !== undefined) return new SealedPermit(digest, decider);
  throw new PolicyError('ApprovalMismatch', 'what was approved is not what would run now: ask again');
}

function deciderFor(
  decision: Decision,
  digest: string,
  answer: Approval | Standing | undefined,
): string | undefined {
  if (decision.effect === 'deny') return undefined;
  if (answer === undefined) return decision.effect === 'allow' ? 'policy' : undefined;
  if ('grant' in answer) return decision.effect === 'ask' && decision.grantable ? 'grant' : undefined;
  return answer.digest === digest ? answer.decider : undefined;
}
