// SPDX-License-Identifier: Apache-2.0
import { ERROR_PREFIX } from '../bus/names.ts';
import type { JsonObject } from '../peer/json.ts';

/** How an app can fail. Times are milliseconds. */
export type CapabilityFailure =
  | { readonly code: 'NotFound'; readonly message: string }
  | { readonly code: 'InvalidParams'; readonly message: string }
  | { readonly code: 'ExecutionFailed'; readonly reason: string; readonly recoverable: boolean }
  | { readonly code: 'PermissionDenied'; readonly reason: string }
  | { readonly code: 'Timeout'; readonly capabilityId: string; readonly elapsedMs: number }
  | { readonly code: 'AppUnresponsive'; readonly appId: string };

/** A failure that an app reports; its texts reach the caller as the app's words. */
export class CapabilityError extends Error {
  readonly failure: CapabilityFailure;

  constructor(failure: CapabilityFailure, options?: ErrorOptions) {
    super(describe(failure), options);
    this.name = 'CapabilityError';
    this.failure = failure;
  }
}

function describe(failure: CapabilityFailure): string {
  switch (failure.code) {
    case 'NotFound':
    case 'InvalidParams':
      return failure.message;
    case 'ExecutionFailed':
    case 'PermissionDenied':
      return failure.reason;
    case 'Timeout':
      return `gave up after ${failure.elapsedMs} ms`;
    case 'AppUnresponsive':
      return `\`${failure.appId}\` does not answer`;
  }
}

/** An error reply: its name, and a JSON object as its text. */
export interface WireFailure {
  readonly name: string;
  readonly text: string;
}

export function encodeFailure({ failure, message }: CapabilityError): WireFailure {
  return { name: `${ERROR_PREFIX}${failure.code}`, text: JSON.stringify(fieldsOf(failure, message)) };
}

function fieldsOf(failure: CapabilityFailure, message: string): JsonObject {
  switch (failure.code) {
    case 'NotFound':
    case 'InvalidParams':
      return { message };
    case 'ExecutionFailed':
      return { reason: failure.reason, recoverable: failure.recoverable };
    case 'PermissionDenied':
      return { reason: failure.reason };
    case 'Timeout':
      return { message, capability_id: failure.capabilityId, elapsed_ms: failure.elapsedMs };
    case 'AppUnresponsive':
      return { message, app_id: failure.appId };
  }
}
