// SPDX-License-Identifier: Apache-2.0
import { PeerError } from './peer-process.ts';

/** The code with which a peer's command was refused; fails where it was not. */
export async function codeOf(command: Promise<unknown>): Promise<string> {
  try {
    await command;
  } catch (error) {
    if (error instanceof PeerError) return error.code;
    throw error;
  }
  throw new Error('nothing was refused');
}

/** The code with which a peer's command was refused, or `ok`. */
export async function tried(command: Promise<unknown>): Promise<string> {
  try {
    await command;
    return 'ok';
  } catch (error) {
    if (error instanceof PeerError) return error.code;
    throw error;
  }
}

export const INVALID_ARGS = 'org.freedesktop.DBus.Error.InvalidArgs';
export const ACCESS_DENIED = 'org.freedesktop.DBus.Error.AccessDenied';
export const LIMITS_EXCEEDED = 'org.freedesktop.DBus.Error.LimitsExceeded';
export const UNKNOWN_OBJECT = 'org.freedesktop.DBus.Error.UnknownObject';
export const UNKNOWN_INTERFACE = 'org.freedesktop.DBus.Error.UnknownInterface';
export const UNKNOWN_METHOD = 'org.freedesktop.DBus.Error.UnknownMethod';
