// SPDX-License-Identifier: Apache-2.0

/** The path of every intent, in order. Each rejection and each record names one of these. */
export const STAGES = [
  'context',
  'resolve',
  'authority',
  'validate',
  'target',
  'classify',
  'policy',
  'grants',
  'confirm',
  'record',
  'dispatch',
  'result',
  'undo',
  'outcome',
] as const;
export type Stage = (typeof STAGES)[number];

/** Why an intent did not end as its caller wished. Short words: they are all an intelligence learns, with the stage. */
export type Code =
  | 'ContextForbidden'
  | 'NotFound'
  | 'Ambiguous'
  | 'NotAllowed'
  | 'CategoryMismatch'
  | 'InvalidParams'
  | 'TargetInvalid'
  | 'TargetMismatch'
  | 'PolicyDenied'
  | 'Suspended'
  | 'SessionLocked'
  | 'LimitExceeded'
  | 'NoConfirmer'
  | 'PersonDenied'
  | 'Expired'
  | 'Withdrawn'
  | 'Void'
  | 'ApprovalMismatch'
  | 'RecordFailed'
  | 'ExecutionFailed'
  | 'PermissionDenied'
  | 'Timeout'
  | 'Cancelled'
  | 'AppUnresponsive'
  | 'ProviderGone'
  | 'ResultInvalid'
  | 'ResultTooLarge'
  | 'UndoGone'
  | 'Failed';

/**
 * An intent stops here. The message goes to the caller and says what to do; it holds nothing of the parameters' values
 * and nothing of the rule that decided.
 */
export class Refusal extends Error {
  readonly code: Code;
  /** What the record shows, where the caller must not learn it: a hidden capability answers like an unknown one. */
  readonly recorded: { readonly stage: Stage; readonly code: Code } | undefined;
  /** The person's words to the caller. */
  readonly note: string | undefined;

  constructor(
    code: Code,
    message: string,
    extra: { recorded?: { stage: Stage; code: Code }; note?: string } = {},
  ) {
    super(message);
    this.name = 'Refusal';
    this.code = code;
    this.recorded = extra.recorded;
    this.note = extra.note;
  }
}

export function allowanceUsedUp(): Refusal {
  return new Refusal(
    'LimitExceeded',
    'this turn has used up its invocations of this capability: wait a minute',
  );
}
