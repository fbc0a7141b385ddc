// SPDX-License-Identifier: Apache-2.0

/** `vanished`: the connection is gone. `changed`: its process is not the one that connected. `unreadable`: the system does not say. */
export type IdentityErrorCode = 'vanished' | 'changed' | 'unreadable';

/** Nobody can be said to be behind a connection: whatever it asked for is to be refused. */
export class IdentityError extends Error {
  override readonly name = 'IdentityError';
  readonly code: IdentityErrorCode;

  constructor(code: IdentityErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
