// SPDX-License-Identifier: Apache-2.0

export type NoteErrorCode =
  | 'NameInvalid'
  | 'NoteMissing'
  | 'NoteExists'
  | 'NoteTooLarge'
  | 'NoteUnreadable'
  | 'TrashMissing'
  | 'FolderUnusable';

/** A note could not be read or changed; the message says why and what to do. Nothing was changed. */
export class NoteError extends Error {
  readonly code: NoteErrorCode;

  constructor(code: NoteErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'NoteError';
    this.code = code;
  }
}
