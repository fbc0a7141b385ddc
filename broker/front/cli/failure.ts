// SPDX-License-Identifier: Apache-2.0
import { getSystemErrorMessage } from 'node:util';
import { KeyError } from '../../../keys/error.ts';
import { ManifestError } from '../../../manifests/error.ts';
import { PolicyError } from '../../../policy/error.ts';
import { ConfigError } from '../../error.ts';
import { BrokerError, type BrokerErrorCode } from '../../peer/error.ts';
import { StoreError } from '../../store/error.ts';
import { CliError } from './error.ts';
import { EXIT, type ExitCode } from './exit.ts';
import type { Screen } from './screen.ts';

/** What went wrong, in the form that both a person and a program get. */
export interface Failure {
  readonly exit: ExitCode;
  readonly code: string;
  readonly message: string;
  /** A file or the JSON pointer of the place, where there is one. */
  readonly at?: string;
  readonly remedy?: string;
}

/** Tells a person on standard error and, with `--json`, a program on standard output; the result is the exit code. */
export function report(error: unknown, screen: Screen): ExitCode {
  const { exit, ...failure } = failureOf(error);
  screen.note([{ text: 'portalctl: ', style: 'red' }, failure.message]);
  if (failure.at !== undefined && failure.at !== '') screen.note(`  at: ${failure.at}`);
  if (failure.remedy !== undefined) screen.note(`  to go on: ${failure.remedy}`);
  if (screen.json) screen.jsonLine({ error: failure });
  return exit;
}

/** Typed errors keep their code; anything else is a fault of this program and says so. */
export function failureOf(error: unknown): Failure {
  if (error instanceof CliError) {
    const { exit, code, message, remedy } = error;
    return { exit, code, message, ...(remedy !== undefined && { remedy }) };
  }
  if (error instanceof KeyError) {
    const { code, message, at } = error;
    return { exit: EXIT.refused, code, message, ...(at !== undefined && { at }) };
  }
  if (error instanceof ManifestError) {
    return { exit: EXIT.refused, code: error.code, message: error.message, at: error.pointer };
  }
  if (error instanceof PolicyError) {
    const { code, message, at } = error;
    return { exit: EXIT.refused, code, message, ...(at !== undefined && { at }) };
  }
  if (error instanceof BrokerError) return brokerFailure(error);
  if (error instanceof ConfigError) return { exit: EXIT.refused, code: error.code, message: error.message };
  if (error instanceof StoreError) return { exit: EXIT.refused, code: error.code, message: error.message };
  if (isSystemError(error)) return systemFailure(error);
  return {
    exit: EXIT.fault,
    code: 'Fault',
    message: error instanceof Error ? error.message : String(error),
    remedy: 'this is a fault of portalctl: please report it with the command that you typed',
  };
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException & { errno: number } {
  return error instanceof Error && 'errno' in error && typeof error.errno === 'number' && 'syscall' in error;
}

function systemFailure({ errno, code, path, syscall }: NodeJS.ErrnoException & { errno: number }): Failure {
  const what = path === undefined ? `\`${syscall}\` failed` : `cannot use \`${path}\``;
  return {
    exit: EXIT.refused,
    code: code ?? 'SystemError',
    message: `${what}: ${getSystemErrorMessage(errno)}`,
    ...(code === 'EACCES' && { remedy: 'check its owner and mode; what belongs to the system takes `sudo`' }),
    ...(code === 'ENOENT' && { remedy: 'check the path' }),
  };
}

const UNREACHABLE: ReadonlySet<BrokerErrorCode> = new Set(['NoBroker', 'Disconnected', 'Timeout']);

function brokerFailure({ code, message }: BrokerError): Failure {
  if (!UNREACHABLE.has(code)) return { exit: EXIT.refused, code, message };
  return {
    exit: EXIT.unreachable,
    code,
    message: code === 'NoBroker' ? 'no broker is running on this message bus' : message,
    remedy: 'start the broker on this session bus, or run `portalctl dev -- APP` for a private one',
  };
}
