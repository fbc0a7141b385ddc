// SPDX-License-Identifier: Apache-2.0

export type KeyErrorCode =
  | 'AppIdInvalid'
  | 'JsonMalformed'
  | 'KeyMissing'
  | 'KeyExists'
  | 'KeyUnsafe'
  | 'KeyMalformed'
  | 'KeyWeak'
  | 'KeyRevoked'
  | 'SignatureMissing'
  | 'SignatureMalformed'
  | 'SignatureWrong'
  | 'SelfTestFailed';

/** What the caller handed over, or what lies on disk, cannot be trusted. `code` says why, `at` says where. */
export class KeyError extends Error {
  readonly code: KeyErrorCode;
  /** A JSON pointer (RFC 6901) or a file path, exactly as it is: escape it with `quote` before showing it. */
  readonly at: string | undefined;

  constructor(code: KeyErrorCode, message: string, at?: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'KeyError';
    this.code = code;
    this.at = at;
  }
}

const LONGEST_QUOTE = 120;
// Control, format (bidirectional, zero width), surrogate and private code points, and every separator but the plain space.
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}\p{Zs}`]/gu;

/** Text from outside as it may appear in a message: in backticks, on one line, nothing invisible, cut at 120 characters. */
export function quote(text: string): string {
  const visible = text
    .slice(0, LONGEST_QUOTE)
    .replace(INVISIBLE, (found) => (found === ' ' ? ' ' : `\\u{${found.codePointAt(0)?.toString(16)}}`));
  return `\`${visible}${text.length > LONGEST_QUOTE ? '…' : ''}\``;
}
