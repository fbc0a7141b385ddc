// SPDX-License-Identifier: Apache-2.0

export type StoreErrorCode =
  | 'StoreUnsafe'
  | 'StoreNewer'
  | 'StoreLocked'
  | 'StoreCorrupt'
  | 'StoreFull'
  | 'StoreReadOnly'
  | 'StoreFailed';

/** The store could not be opened, read or written. Whatever depended on the write must not happen. */
export class StoreError extends Error {
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StoreError';
    this.code = code;
  }
}

export type HistoryErrorCode = 'DefinitionChanged' | 'Rollback';

/** A validly signed manifest contradicts what the same app was known to declare. */
export class HistoryError extends Error {
  readonly code: HistoryErrorCode;

  constructor(code: HistoryErrorCode, message: string) {
    super(message);
    this.name = 'HistoryError';
    this.code = code;
  }
}

/** Primary result codes, https://sqlite.org/rescode.html; the upper bits of an extended code refine them. */
const BY_RESULT: Readonly<Record<number, StoreErrorCode>> = {
  5: 'StoreLocked', // SQLITE_BUSY
  6: 'StoreLocked', // SQLITE_LOCKED
  8: 'StoreReadOnly', // SQLITE_READONLY
  11: 'StoreCorrupt', // SQLITE_CORRUPT
  13: 'StoreFull', // SQLITE_FULL
  26: 'StoreCorrupt', // SQLITE_NOTADB
};
const BY_ERRNO: Readonly<Record<string, StoreErrorCode>> = {
  EROFS: 'StoreReadOnly',
  EACCES: 'StoreReadOnly',
  EPERM: 'StoreReadOnly',
  ENOSPC: 'StoreFull',
  EDQUOT: 'StoreFull',
};

/** Gives a failure of SQLite or of the file system its code; what already has one passes unchanged. */
export function asStoreError(error: unknown, doing: string): StoreError | HistoryError {
  if (error instanceof StoreError || error instanceof HistoryError) return error;
  return new StoreError(codeOf(error), `${doing} failed: ${reasonOf(error)}`, { cause: error });
}

function codeOf(error: unknown): StoreErrorCode {
  if (!(error instanceof Error)) return 'StoreFailed';
  if ('errcode' in error && typeof error.errcode === 'number') {
    return BY_RESULT[error.errcode & 0xff] ?? 'StoreFailed';
  }
  if ('code' in error && typeof error.code === 'string') return BY_ERRNO[error.code] ?? 'StoreFailed';
  return 'StoreFailed';
}

/** SQLite's and the kernel's own words; never a statement with its values. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown reason';
  if ('errstr' in error && typeof error.errstr === 'string') return error.errstr;
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
