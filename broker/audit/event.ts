// SPDX-License-Identifier: Apache-2.0

export const AUDIT_TYPES = [
  'requested',
  'asked',
  'decided',
  'executed',
  'failed',
  'denied',
  'expired',
  'unknown',
  'joined',
  'registered',
  'unregistered',
  'manifest-rejected',
  'key-withdrawn',
  'role-refused',
  'confirmer',
  'undone',
  'config',
  'policy',
  'started',
  'stopped',
  'pruned',
] as const;
/**
 * `policy`: a rule, grant, suspension, request or decision changed; the code says how.
 * `requested` is the intent record: on the disk before anything runs. `executed`, `failed` and `unknown` end what was
 * requested; `denied` and `expired` end an attempt whether or not it came that far. `joined` ends one that asked for what
 * was waiting for a person already: nothing ran for it, and the other, of the same commitment, says how both ended.
 */
export type AuditType = (typeof AUDIT_TYPES)[number];

/** How an attempt can end. Each has exactly one of these. */
export const ENDINGS: readonly AuditType[] = ['executed', 'failed', 'unknown', 'denied', 'expired', 'joined'];
/** The endings that say something was started, and so need an intent record before them. */
export const OUTCOMES: readonly AuditType[] = ['executed', 'failed', 'unknown'];

export interface AuditClassification {
  readonly sideEffects: string;
  readonly access: string;
  readonly network: string;
  readonly risk: string;
  readonly gate: string;
}

/**
 * One line of the record: metadata and nothing else. There is no field for a parameter, a result, a target, a glob, a
 * reason, a note or an app's words, and each field that is there has a form that such text does not have (`gate.ts`).
 */
export interface AuditEvent {
  readonly type: AuditType;
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** Minted by the broker; ties the events of one attempt together. */
  readonly invocation?: string;
  readonly principal?: string;
  /** What the principal was recognised by. */
  readonly binding?: string;
  readonly pid?: number;
  readonly uid?: number;
  readonly appId?: string;
  readonly capability?: string;
  readonly version?: string;
  readonly classification?: AuditClassification;
  /** The stage reached, or the one that refused. */
  readonly stage?: string;
  readonly code?: string;
  readonly tier?: number;
  /** The rule that decided. */
  readonly rule?: string;
  readonly decider?: string;
  /** What the policy's answer was: `allow`, `ask` or `deny`. */
  readonly effect?: string;
  /** How specific the rule that decided is. */
  readonly specificity?: number;
  /** The rules that matched, the one that decided first; at most 20. */
  readonly considered?: readonly string[];
  /** How many matched, also those that are not named. */
  readonly consideredCount?: number;
  /** The grant that answered in the person's place: its id, or `session`. */
  readonly grant?: string;
  /** Keyed hash of the canonical parameters: shows that two were equal, not what they were. */
  readonly commitment?: string;
  /** Keyed hash of what was asked for before the person changed it: that can never run. */
  readonly replaced?: string;
  /** Bytes. */
  readonly paramsSize?: number;
  /** Bytes. */
  readonly resultSize?: number;
  readonly durationMs?: number;
  readonly profile?: string;
  readonly assurance?: string;
  /** Where the caller says its wish came from: a word of a closed list, with the number of a step if it has one. */
  readonly origin?: string;
  /** How many equal events this one stands for. */
  readonly count?: number;
}
