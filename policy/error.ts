// SPDX-License-Identifier: Apache-2.0

export type PolicyErrorCode = 'TargetInvalid' | 'ApprovalMismatch';

/** A value this folder could not accept. `at` is a JSON pointer into the parameters where one applies. */
export class PolicyError extends Error {
  readonly code: PolicyErrorCode;
  readonly at: string | undefined;

  constructor(code: PolicyErrorCode, message: string, at?: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'PolicyError';
    this.code = code;
    this.at = at;
  }
}
