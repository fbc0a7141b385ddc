// SPDX-License-Identifier: Apache-2.0
import type { OutgoingMessage } from 'dbus-native/lib/message.js';
import { marshall } from 'dbus-native/lib/message.js';
import { DBusError, ERROR_NAME } from './error.ts';
import { checkNames } from './name-syntax.ts';
import { exceedsBytes } from './values.ts';

/** A message in wire form. Throws `invalid` or `limit` for one that would make the bus hang up on us. */
export function encode(message: OutgoingMessage, maxBytes: number): Buffer {
  checkNames(message);
  // The marshaller drops a body without a signature, and sends a signature without a body: the bus would hang up on us.
  if (!Array.isArray(message.body) || (message.signature === '' && message.body.length > 0)) throw unfit();
  if (exceedsBytes(message.body, maxBytes)) throw overLimit();
  let bytes: Buffer;
  try {
    bytes = marshall(message);
  } catch (cause) {
    throw unfit(cause);
  }
  if (bytes.length > maxBytes) throw overLimit();
  return bytes;
}

function unfit(cause?: unknown): DBusError {
  return new DBusError('invalid', ERROR_NAME.invalidArgs, 'the arguments do not fit the signature', {
    cause,
  });
}

function overLimit(): DBusError {
  return new DBusError('limit', ERROR_NAME.limitsExceeded, 'the message is larger than the limit');
}
