// SPDX-License-Identifier: Apache-2.0
import { DBusError } from '../../dbus/error.ts';
import { ERROR_PREFIX } from '../bus/names.ts';

const FROM_THE_BROKER = [
  'NotFound',
  'InvalidParams',
  'NotAllowed',
  'ManifestRejected',
  'Ambiguous',
  'NoConfirmer',
  'Stale',
  'Suspended',
  'RuleInvalid',
  'GrantInvalid',
  'RequestInvalid',
  'RecordFailed',
  'Failed',
] as const;
const FROM_THE_BUS = ['InvalidArgs', 'AccessDenied', 'LimitsExceeded', 'NotSupported'] as const;

/**
 * Why a call to the broker failed: one of its own names, or
 * `NoBroker`: nobody owns its name and it could not be started. `Disconnected`: it or the bus went away meanwhile, so
 * nobody knows whether the call had an effect. `Timeout`: no answer. `Aborted`: the caller's own signal.
 * `Protocol`: it answered with something this version does not understand.
 */
export type BrokerErrorCode =
  | (typeof FROM_THE_BROKER)[number]
  | (typeof FROM_THE_BUS)[number]
  | 'NoBroker'
  | 'Disconnected'
  | 'Timeout'
  | 'Aborted'
  | 'Protocol';

/** A call that was malformed, out of role, over a limit or not answered. A refusal by policy or person is none. */
export class BrokerError extends Error {
  readonly code: BrokerErrorCode;

  constructor(code: BrokerErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'BrokerError';
    this.code = code;
  }
}

export function noBroker(cause?: unknown): BrokerError {
  return new BrokerError('NoBroker', 'no broker is running on this message bus: start one', { cause });
}

const BUS_PREFIX = 'org.freedesktop.DBus.Error.';
const NOBODY = [
  'ServiceUnknown',
  'NameHasNoOwner',
  'Spawn.ExecFailed',
  'Spawn.ChildExited',
  'Spawn.ServiceNotFound',
];

/** What a failed call means to whoever made it. */
export function brokerError(error: unknown): BrokerError {
  if (error instanceof BrokerError) return error;
  if (!(error instanceof DBusError)) return new BrokerError('Failed', 'the call failed', { cause: error });
  return new BrokerError(codeOf(error), error.message, { cause: error });
}

function codeOf({ code, name }: DBusError): BrokerErrorCode {
  switch (code) {
    case 'timeout':
      return 'Timeout';
    case 'aborted':
      return 'Aborted';
    case 'disconnected':
      return 'Disconnected';
    case 'invalid':
      return 'InvalidArgs';
    case 'limit':
      return 'LimitsExceeded';
    case 'protocol':
      return 'Protocol';
    case 'remote':
      return remoteCode(name);
  }
}

function remoteCode(name: string): BrokerErrorCode {
  if (name.startsWith(ERROR_PREFIX)) {
    const own = name.slice(ERROR_PREFIX.length);
    return FROM_THE_BROKER.find((code) => code === own) ?? 'Failed';
  }
  const word = name.startsWith(BUS_PREFIX) ? name.slice(BUS_PREFIX.length) : '';
  if (NOBODY.includes(word)) return 'NoBroker';
  // The bus answers for a peer that left before it replied.
  if (word === 'NoReply') return 'Disconnected';
  return FROM_THE_BUS.find((code) => code === word) ?? 'Failed';
}
