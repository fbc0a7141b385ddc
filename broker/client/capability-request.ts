// SPDX-License-Identifier: Apache-2.0
/* c8 ignore start -- types only */
import type { EarlierDecision } from './approvals.ts';

/** What an intelligence asks to be granted; all of it is shown to the person as the caller's words. */
export interface CapabilityRequest {
  readonly capability: string;
  readonly access: 'read' | 'write';
  /** 1 to 10080. */
  readonly minutes: number;
  /** 1 to 10000. */
  readonly operations: number;
  readonly reason: string;
  /** A glob. */
  readonly target?: string | undefined;
  /** Globs by JSON pointer. */
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly evidence?: readonly string[] | undefined;
  readonly risk?: string | undefined;
  readonly mitigation?: string | undefined;
  readonly fallback?: string | undefined;
  readonly alternatives?: readonly string[] | undefined;
  /** Requests of one intention are shown together. */
  readonly intention?: string | undefined;
}

/** One that waits for the person. */
export interface CapabilityRequestRow extends CapabilityRequest {
  readonly id: string;
  readonly principal: string;
  /** Milliseconds since the epoch, as is `expires_at`. */
  readonly since: number;
  readonly expires_at: number;
  readonly state: string;
  readonly earlier: readonly EarlierDecision[];
}
/* c8 ignore stop */
