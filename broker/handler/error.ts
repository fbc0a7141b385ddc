// SPDX-License-Identifier: Apache-2.0

export type HandlerErrorCode = 'ManifestUnreadable';

/** The app cannot offer anything, for a reason of its own making. */
export class HandlerError extends Error {
  readonly code: HandlerErrorCode;

  constructor(code: HandlerErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'HandlerError';
    this.code = code;
  }
}
