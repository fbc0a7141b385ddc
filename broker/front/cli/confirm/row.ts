// SPDX-License-Identifier: Apache-2.0
/* c8 ignore start -- types only */
import type { Decision } from '../../../client.ts';

/**
 * One invocation that a person decides about. The texts come from the broker with everything invisible escaped and
 * backslashes doubled; whose words they are is what the names say.
 */
export interface Row {
  readonly digest: string;
  readonly kind: 'invoke' | 'undo';
  readonly capability: string;
  readonly version: string;
  /** The app's word. */
  readonly title: string;
  /** Empty for the broker's own capabilities. */
  readonly appId: string;
  readonly providerBinding: string;
  readonly principal: string;
  readonly principalBinding: string;
  readonly risk: string;
  readonly sideEffects: string;
  /** Empty where it could not be determined. */
  readonly targets: readonly string[];
  /** JSON text. */
  readonly params: string;
  /** The caller's word, possibly empty. */
  readonly reason: string;
  /** The caller's words. */
  readonly evidence: readonly string[];
  /** The caller's label for what it wants altogether, possibly empty. */
  readonly intention: string;
  readonly undo: string;
  readonly choices: readonly string[];
  /** What would be lost for good is allowed by a word of its own, where there are several rows. */
  readonly ownTick: boolean;
  /** The broker's word on why an answer that was given already did not count; empty at first. */
  readonly problem: string;
  /** What the person decided before on the same, for the same; in words. */
  readonly earlier: readonly string[];
  /** Set where `params` are not the caller's any more but what the person made of them. */
  readonly changed?: true;
}

/** One question: its rows are decided one by one. */
export interface Question {
  readonly id: string;
  readonly rows: readonly Row[];
  readonly assurance: string;
  /** Milliseconds in which an answer counts, from when it was received. */
  readonly deadlineMs: number;
  /** Milliseconds in which it does not count yet. */
  readonly armingMs: number;
}

/** What the person decided about one row. */
export type Verdict = Decision;
/* c8 ignore stop */
