// SPDX-License-Identifier: Apache-2.0
import type { OutgoingMessage } from 'dbus-native/lib/message.js';
import {
  isValidBusName,
  isValidErrorName,
  isValidInterfaceName,
  isValidMemberName,
} from 'dbus-native/lib/names.js';
import { DBusError, ERROR_NAME } from './error.ts';

/** Whether a text can be an error name on the wire. */
export function isErrorName(name: string): boolean {
  return isValidErrorName(name);
}

/**
 * Refuses a message whose header the bus would not take: it answers a malformed name by closing the connection, so one
 * bad word from a user would cost the whole process. (The marshaller checks the path by itself.)
 */
export function checkNames(message: OutgoingMessage): void {
  if (message.destination !== undefined && !isValidBusName(message.destination))
    throw bad('bus name', message.destination);
  if (message.interface !== undefined && !isValidInterfaceName(message.interface))
    throw bad('interface', message.interface);
  if (message.member !== undefined && !isValidMemberName(message.member)) throw bad('member', message.member);
}

function bad(kind: string, value: string): DBusError {
  return new DBusError('invalid', ERROR_NAME.invalidArgs, `\`${value}\` is not a valid ${kind}`);
}
