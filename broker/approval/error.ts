// SPDX-License-Identifier: Apache-2.0

export type ApprovalErrorCode =
  /** Nothing of that id waits or waited lately. */
  | 'NotFound'
  /** It was decided before, is over, or is not what was read. */
  | 'Stale'
  /** The changed parameters are refused; what waits stays as it is. */
  | 'InvalidParams'
  /** The choice would have no effect here, so it is not offered. */
  | 'NotAllowed';

/** A decision that does not count. Whatever waits for one goes on waiting. */
export class ApprovalError extends Error {
  readonly code: ApprovalErrorCode;

  constructor(code: ApprovalErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ApprovalError';
    this.code = code;
  }
}
