// SPDX-License-Identifier: Apache-2.0
import type { Decision } from '../../policy/decide.ts';
import type { Targets } from '../../policy/target.ts';

/** All that a person can answer to one row of a question, from the narrowest to what denies. */
export const CHOICES = ['once', 'session', 'modified', 'later', 'deny', 'deny_session'] as const;
export type Choice = (typeof CHOICES)[number];

/** How long an answer for the session can be meant to last, in minutes. */
export const SESSION_MINUTES = { usual: 60, most: 480 } as const;

/** A person's answer to one row. */
export type Verdict = Approving | Denying | { readonly choice: 'later' };

/** A person's yes. */
export interface Approving {
  readonly choice: 'once' | 'session';
  /** With `session`: how long it lasts. */
  readonly minutes?: number | undefined;
  /** Approve these in place of what was asked about; JSON text. */
  readonly params?: string | undefined;
  /** Words to the caller. */
  readonly note?: string | undefined;
}

/** A person's no. */
export interface Denying {
  readonly choice: 'deny' | 'deny_session';
  /** Words to the caller. */
  readonly note?: string | undefined;
}

export function approves(verdict: Verdict): verdict is Approving {
  return verdict.choice === 'once' || verdict.choice === 'session';
}

/** The parameters that a verdict puts in the place of those that were asked about. */
export function changedParams(verdict: Verdict): string | undefined {
  return approves(verdict) ? verdict.params : undefined;
}

/** What of the choices a verdict makes use of: each must have been offered. */
export function choicesOf(verdict: Verdict): readonly Choice[] {
  if (changedParams(verdict) === undefined) return [verdict.choice];
  return verdict.choice === 'session' ? ['modified', 'session'] : ['modified'];
}

/**
 * The choices that have an effect. An answer for the session is for one literal target, so there must be exactly one, and
 * it answers only where policy would let a grant answer; denying for the session needs to know what is denied.
 */
export function choicesFor(
  kind: 'invoke' | 'undo',
  { grantable }: Pick<Decision, 'grantable'>,
  targets: Targets,
): readonly Choice[] {
  const invokes = kind === 'invoke';
  const effective: Readonly<Record<Choice, boolean>> = {
    once: true,
    session: invokes && grantable && targets !== 'undetermined' && targets.length === 1,
    modified: invokes,
    later: true,
    deny: true,
    deny_session: invokes && targets !== 'undetermined',
  };
  return CHOICES.filter((choice) => effective[choice]);
}
