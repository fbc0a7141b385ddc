// SPDX-License-Identifier: Apache-2.0

export type GrantErrorCode =
  /** Nothing of that id is live, or not for whoever asks. */
  | 'NotFound'
  /** It was decided, withdrawn or is over. */
  | 'Stale'
  /** One principal holds or asks for too much already. */
  | 'TooMany';

/** A grant or a request for one that cannot be as wished. What is wrong with its words is a `PolicyError`. */
export class GrantError extends Error {
  readonly code: GrantErrorCode;

  constructor(code: GrantErrorCode, message: string) {
    super(message);
    this.name = 'GrantError';
    this.code = code;
  }
}
