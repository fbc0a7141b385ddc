// SPDX-License-Identifier: Apache-2.0

export type IntentContext = 'live' | 'dream' | 'replay';

/** What a caller wants done, as it said so. Nothing in here says who the caller is. */
export interface Intent {
  readonly capability: string;
  readonly version: string | undefined;
  /** JSON text, as sent. */
  readonly params: string;
  readonly context: IntentContext;
  /** When given, must equal the declared one. */
  readonly category: string | undefined;
  /** When given, must equal the derived one. */
  readonly target: string | undefined;
  readonly session: string | undefined;
  readonly turn: string | undefined;
  /** The caller's words to the person, shown as such. */
  readonly reason: string | undefined;
  readonly evidence: readonly string[];
  /** Where the caller's wish came from, for example a plan step; an identifier, recorded. */
  readonly origin: string | undefined;
  readonly intention: string | undefined;
  readonly requireApproval: boolean;
  /** Tightens the declared bound; milliseconds. */
  readonly timeoutMs: number | undefined;
}
