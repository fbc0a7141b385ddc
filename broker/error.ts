// SPDX-License-Identifier: Apache-2.0

export type ConfigErrorCode = 'ConfigUnsafe' | 'ConfigInvalid';

/** The broker cannot start with this configuration. */
export class ConfigError extends Error {
  readonly code: ConfigErrorCode;

  constructor(code: ConfigErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ConfigError';
    this.code = code;
  }
}

/** A well-formed, well-signed manifest that cannot be registered from here and now; the app stays in Tier 2. */
export class RegistrationError extends Error {
  /** `AppIdForeign`, `AlreadyRegistered`, `DefinitionChanged`, `Rollback` or `AppIdCollides`. */
  readonly code: string;
  /** JSON pointer into the manifest. */
  readonly pointer: string;

  constructor(code: string, pointer: string, message: string) {
    super(message);
    this.name = 'RegistrationError';
    this.code = code;
    this.pointer = pointer;
  }
}
