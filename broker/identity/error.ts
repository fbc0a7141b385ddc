// SPDX-License-Identifier: Apache-2.0

/** `vanished`: the connection is gone. `changed`: its process is not the one that connected. `unreadable`: the system does not say. */
type NobodyThere = 'vanished' | 'changed' | 'unreadable';

/**
 * `NotAPerson`: the user of a service. `NotAuthorised`: polkit or the person said no. `NoAuthority`: nobody could be asked.
 * `Unanswered`: the time was over, or whoever asked left.
 */
type NobodyDecides = 'NotAPerson' | 'NotAuthorised' | 'NoAuthority' | 'Unanswered';

export type IdentityErrorCode = NobodyThere | NobodyDecides;

/** Nobody can be said to be behind a connection or a decision: whatever it asked for is to be refused. */
export class IdentityError extends Error {
  override readonly name = 'IdentityError';
  readonly code: IdentityErrorCode;

  constructor(code: IdentityErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
