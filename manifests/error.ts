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

/**
 * A refusal. `pointer` is the JSON pointer (RFC 6901) of the offending place, empty for the whole document;
 * `message` says what happened and the way out, on one line.
 */
export class ManifestError extends Error {
  readonly code: ManifestErrorCode;
  readonly pointer: string;

  constructor(code: ManifestErrorCode, pointer: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ManifestError';
    this.code = code;
    this.pointer = pointer;
  }
}
