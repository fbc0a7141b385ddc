// SPDX-License-Identifier: Apache-2.0
import { DBusError, ERROR_NAME } from '../../dbus/error.ts';
import { asDictionary } from '../../dbus/values.ts';
import type { InvocationContext } from './contract.ts';

/**
 * Reads the context of a call. Entries that this version does not know are left alone; a source other than the one
 * there is, or a missing entry, refuses the call.
 *
 * @throws DBusError InvalidArgs
 */
export function parseContext(value: unknown, invocation: string, signal: AbortSignal): InvocationContext {
  const entries = asDictionary(value);
  const optional = (key: string): string | undefined => {
    const entry = entries.get(key);
    if (entry !== undefined && typeof entry !== 'string')
      throw invalid(`the context's \`${key}\` must be a text`);
    return entry;
  };
  const required = (key: string): string => {
    const entry = optional(key);
    if (entry === undefined) throw invalid(`the context lacks \`${key}\``);
    return entry;
  };
  const timestamp = new Date(required('timestamp'));
  if (Number.isNaN(timestamp.getTime())) throw invalid("the context's `timestamp` is no point in time");
  if (required('source') !== SOURCE) throw invalid(`the context's \`source\` must be \`${SOURCE}\``);
  return {
    invocation,
    sessionId: optional('session_id'),
    source: SOURCE,
    timestamp,
    appId: required('app_id'),
    principal: required('principal'),
    locale: optional('locale'),
    signal,
  };
}

/** The invocation that a context names, where it does. */
export function invocationOf(value: unknown): string | undefined {
  const invocation = asDictionary(value).get('invocation');
  return typeof invocation === 'string' ? invocation : undefined;
}

const SOURCE = 'SystemIntelligence';

export function invalid(message: string): DBusError {
  return new DBusError('invalid', ERROR_NAME.invalidArgs, message);
}
