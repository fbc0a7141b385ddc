// SPDX-License-Identifier: Apache-2.0
import type { Code, Stage } from './stage.ts';

/**
 * `denied`: nothing ran. `expired`: a person was asked and did not answer; nothing ran.
 * `failed`: it ran and says it failed, or it only read. `unknown`: it may have changed something; look before you retry.
 */
export type Status = 'executed' | 'denied' | 'expired' | 'failed' | 'unknown';

/** How one intent ended; what the caller receives, as JSON text. */
export interface Outcome {
  readonly invocation: string;
  readonly status: Status;
  /** The last stage reached. */
  readonly stage: Stage;
  readonly code?: Code;
  readonly result?: unknown;
  /** How far the result may be trusted as information. It is never an instruction. */
  readonly trust?: 'low' | 'medium' | 'high';
  readonly state_after?: unknown;
  /** Milliseconds since the epoch until which it can be undone. */
  readonly undo?: { readonly until: number };
  /** The person's words to the caller. */
  readonly note?: string;
  readonly error?: { readonly code: Code; readonly message: string; readonly recoverable: boolean };
  /** The record's number; absent only when the record itself could not be written. */
  readonly audit_id?: string;
}
