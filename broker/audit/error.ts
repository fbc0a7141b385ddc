// SPDX-License-Identifier: Apache-2.0

export type AuditErrorCode = 'EventInvalid';

/** An event the record cannot hold: a fault of the broker, so whatever waited for the record must not happen. */
export class AuditError extends Error {
  readonly code: AuditErrorCode;

  constructor(code: AuditErrorCode, message: string) {
    super(message);
    this.name = 'AuditError';
    this.code = code;
  }
}
