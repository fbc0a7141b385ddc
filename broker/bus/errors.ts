// SPDX-License-Identifier: Apache-2.0
import { DBusError, ERROR_NAME } from '../../dbus/error.ts';
import type { Fault } from '../../dbus/serve.ts';
import { PolicyError, type PolicyErrorCode } from '../../policy/error.ts';
import { ApprovalError, type ApprovalErrorCode } from '../approval/error.ts';
import { GrantError, type GrantErrorCode } from '../grant/error.ts';
import { RulesError, type RulesErrorCode } from '../rules/error.ts';
import { StoreError } from '../store/error.ts';
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

/** What the parts of the broker throw for what they are asked, by its name on the wire. */
const NAMED: Readonly<Record<GrantErrorCode | RulesErrorCode | ApprovalErrorCode | PolicyErrorCode, string>> =
  {
    NotFound: WIRE.NotFound,
    NotAllowed: WIRE.NotAllowed,
    InvalidParams: WIRE.InvalidParams,
    TooMany: WIRE.LimitsExceeded,
    Stale: `${ERROR_PREFIX}Stale`,
    RuleInvalid: `${ERROR_PREFIX}RuleInvalid`,
    GlobInvalid: `${ERROR_PREFIX}RuleInvalid`,
    GrantInvalid: `${ERROR_PREFIX}GrantInvalid`,
    RequestInvalid: `${ERROR_PREFIX}RequestInvalid`,
    TargetInvalid: WIRE.InvalidParams,
    ApprovalMismatch: `${ERROR_PREFIX}Stale`,
  };

/** What leaves the process of anything thrown: a refusal's own words, or an opaque id whose detail is in the log. */
export function wireFault(error: unknown, log: (error: unknown) => string): Fault {
  if (error instanceof CallError) return { name: WIRE[error.code], text: error.message };
  if (
    error instanceof GrantError ||
    error instanceof RulesError ||
    error instanceof ApprovalError ||
    error instanceof PolicyError
  ) {
    return { name: NAMED[error.code], text: error.message };
  }
  if (error instanceof DBusError && error.code === 'invalid')
    return { name: ERROR_NAME.invalidArgs, text: error.message };
  const fault = log(error);
  if (error instanceof StoreError) {
    return {
      name: `${ERROR_PREFIX}RecordFailed`,
      text: `it could not be recorded, so it does not hold: free disk space or mend the store, then retry (fault ${fault})`,
    };
  }
  return { name: `${ERROR_PREFIX}Failed`, text: `the broker failed: fault ${fault}` };
}
