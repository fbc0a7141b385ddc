// SPDX-License-Identifier: Apache-2.0

/** Where an error came from: the other end, or this library and why. */
export type DBusErrorCode =
  | 'remote'
  | 'timeout'
  | 'aborted'
  | 'disconnected'
  | 'invalid'
  | 'limit'
  | 'protocol';

/** Wire names of the errors that this library itself raises or answers. */
export const ERROR_NAME = {
  accessDenied: 'org.freedesktop.DBus.Error.AccessDenied',
  disconnected: 'org.freedesktop.DBus.Error.Disconnected',
  failed: 'org.freedesktop.DBus.Error.Failed',
  inconsistentMessage: 'org.freedesktop.DBus.Error.InconsistentMessage',
  invalidArgs: 'org.freedesktop.DBus.Error.InvalidArgs',
  limitsExceeded: 'org.freedesktop.DBus.Error.LimitsExceeded',
  noReply: 'org.freedesktop.DBus.Error.NoReply',
  propertyReadOnly: 'org.freedesktop.DBus.Error.PropertyReadOnly',
  unknownInterface: 'org.freedesktop.DBus.Error.UnknownInterface',
  unknownMethod: 'org.freedesktop.DBus.Error.UnknownMethod',
  unknownObject: 'org.freedesktop.DBus.Error.UnknownObject',
  unknownProperty: 'org.freedesktop.DBus.Error.UnknownProperty',
} as const;

/**
 * A failed call or connection. `name` is the error's name on the wire; `code` says who raised it.
 * With code `remote` both name and message are the peer's own words: untrusted text.
 */
export class DBusError extends Error {
  override readonly name: string;
  readonly code: DBusErrorCode;

  constructor(code: DBusErrorCode, name: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.name = name;
  }
}
