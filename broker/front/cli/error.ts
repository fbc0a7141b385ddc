// SPDX-License-Identifier: Apache-2.0
import { EXIT, type ExitCode } from './exit.ts';

export type CliErrorCode =
  | 'UnknownCommand'
  | 'UnknownOption'
  | 'BadOption'
  | 'BadOperand'
  | 'FileUnreadable'
  | 'FileUnwritable'
  | 'BrokerUnreachable'
  | 'NotATerminal'
  | 'NotFound'
  | 'Refused'
  | 'Interrupted';

const EXIT_OF: Record<CliErrorCode, ExitCode> = {
  UnknownCommand: EXIT.usage,
  UnknownOption: EXIT.usage,
  BadOption: EXIT.usage,
  BadOperand: EXIT.usage,
  FileUnreadable: EXIT.refused,
  FileUnwritable: EXIT.refused,
  BrokerUnreachable: EXIT.unreachable,
  NotATerminal: EXIT.usage,
  NotFound: EXIT.refused,
  Refused: EXIT.refused,
  Interrupted: EXIT.interrupted,
};

/** Why a command could not do its work. The message says what happened, `remedy` what to do. */
export class CliError extends Error {
  readonly code: CliErrorCode;
  readonly remedy: string | undefined;

  constructor(code: CliErrorCode, message: string, remedy?: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CliError';
    this.code = code;
    this.remedy = remedy;
  }

  get exit(): ExitCode {
    return EXIT_OF[this.code];
  }
}
