// SPDX-License-Identifier: Apache-2.0
import type { Decision } from './decide.ts';
import { PolicyError } from './error.ts';

/** A person's yes, given for exactly the invocation with this digest. */
export interface Approval {
  readonly digest: string;
  /** Who decided: a confirmer's connection or a named person, as the bus says. */
  readonly decider: string;
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
 * Turns a decision (and, where it asks, a person's approval of this very digest) into a permit.
 *
 * @throws PolicyError `ApprovalMismatch` for a denial, a missing approval, or one of another digest
 */
export function permit(decision: Decision, digest: string, approval?: Approval): Permit {
  if (decision.effect === 'allow') return new SealedPermit(digest, 'policy');
  if (decision.effect === 'ask' && approval !== undefined && approval.digest === digest) {
    return new SealedPermit(digest, approval.decider);
  }
  throw new PolicyError('ApprovalMismatch', 'what was approved is not what would run now: ask again');
}
