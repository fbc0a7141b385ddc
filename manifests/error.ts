// SPDX-License-Identifier: Apache-2.0

/** Every way in which a manifest, an id, a schema or a registration can be refused. */
export type ManifestErrorCode =
  | 'JsonMalformed'
  | 'SchemaViolation'
  | 'UnknownField'
  | 'AppIdInvalid'
  | 'AppIdCollides'
  | 'CapabilityIdInvalid'
  | 'CapabilityIdForeign'
  | 'CapabilityDuplicate'
  | 'DomainReserved'
  | 'VersionInvalid'
  | 'VersionUnsupported'
  | 'TooMany'
  | 'TextInvalid'
  | 'LocaleInvalid'
  | 'AuthLevelInvalid'
  | 'AccessInvalid'
  | 'BoundsOutOfRange'
  | 'TargetInvalid'
  | 'ParameterSchemaRefused'
  | 'EventDuplicate'
  | 'SignatureMissing'
  | 'SignatureMalformed'
  | 'SignatureWrong'
  | 'KeyMissing'
  | 'KeyUnusable';

const LONGEST_POINTER = 256;
const LONGEST_MESSAGE = 512;
/** Control, format, surrogate and private code points, and every separator but the plain space. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}\p{Zs}]/gu;

/**
 * A refusal. `pointer` is the JSON pointer (RFC 6901) of the offending place, empty for the whole document;
 * `message` says what happened and the way out, on one line. Both can hold what the document says, and are shown to
 * others than its author: they hold nothing invisible and are cut, with an ellipsis, at 256 and 512 characters.
 */
export class ManifestError extends Error {
  readonly code: ManifestErrorCode;
  readonly pointer: string;

  constructor(code: ManifestErrorCode, pointer: string, message: string, cause?: unknown) {
    super(shown(message, LONGEST_MESSAGE), cause === undefined ? undefined : { cause });
    this.name = 'ManifestError';
    this.code = code;
    this.pointer = shown(pointer, LONGEST_POINTER);
  }
}

function shown(text: string, most: number): string {
  const visible = text
    .slice(0, most)
    .replace(INVISIBLE, (found) => (found === ' ' ? ' ' : `\\u{${found.codePointAt(0)?.toString(16)}}`));
  return visible.length < text.length || visible.length > most ? `${visible.slice(0, most - 1)}…` : visible;
}
