// SPDX-License-Identifier: Apache-2.0

export type PolicyErrorCode =
  | 'TargetInvalid'
  | 'ApprovalMismatch'
  | 'GlobInvalid'
  | 'RuleInvalid'
  | 'GrantInvalid'
  | 'RequestInvalid';

/**
 * A value this folder could not accept. `at` is a JSON pointer where one applies: into the parameters for a target, into
 * the value that was to be read for a rule, a grant or a request.
 */
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
