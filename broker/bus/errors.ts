// SPDX-License-Identifier: Apache-2.0
import { DBusError, ERROR_NAME } from '../../dbus/error.ts';
import type { Fault } from '../../dbus/serve.ts';
import { ERROR_PREFIX } from './names.ts';

/** Why a call itself (not an intent) is refused. */
export type CallErrorCode =
  | 'InvalidArgs'
  | 'AccessDenied'
  | 'LimitsExceeded'
  | 'NotFound'
  | 'NotAllowed'
  | 'InvalidParams';

/** A call that is malformed, out of role or over a limit. The text goes to the caller: one line, and what to do. */
export class CallError extends Error {
  readonly code: CallErrorCode;

  constructor(code: CallErrorCode, message: string) {
    super(message);
    this.name = 'CallError';
    this.code = code;
  }
}

/** Every code has a name on the wire: one without does not compile. */
const WIRE: Readonly<Record<CallErrorCode, string>> = {
  InvalidArgs: ERROR_NAME.invalidArgs,
  AccessDenied: ERROR_NAME.accessDenied,
  LimitsExceeded: ERROR_NAME.limitsExceeded,
  NotFound: `${ERROR_PREFIX}NotFound`,
  NotAllowed: `${ERROR_PREFIX}NotAllowed`,
  InvalidParams: `${ERROR_PREFIX}InvalidParams`,
};

/** What leaves the process of anything thrown: a refusal's own words, or an opaque id whose detail is in the log. */
export function wireFault(error: unknown, log: (error: unknown) => string): Fault {
  if (error instanceof CallError) return { name: WIRE[error.code], text: error.message };
  if (error instanceof DBusError && error.code === 'invalid')
    return { name: ERROR_NAME.invalidArgs, text: error.message };
  return { name: `${ERROR_PREFIX}Failed`, text: `the broker failed: fault ${log(error)}` };
}
