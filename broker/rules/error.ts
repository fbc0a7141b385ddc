// SPDX-License-Identifier: Apache-2.0
import { quote } from '../../keys/error.ts';

/** Why a policy file was refused, and with it every other of the same reading. */
export interface Refusal {
  /** From 1; undefined where it is about the file or directory itself. */
  readonly line?: number;
  /** JSON pointer into the file; empty for all of it. */
  readonly at: string;
  /** One line, no full stop. */
  readonly reason: string;
}

/** The files of a policy cannot be taken over as they are. */
export class PolicyFileError extends Error {
  readonly code = 'PolicyFileRefused';
  /** The file, or the directory that is in the way. */
  readonly path: string;
  readonly source: 'root' | 'user';
  readonly refusal: Refusal;

  constructor(path: string, source: 'root' | 'user', refusal: Refusal, options?: ErrorOptions) {
    const line = refusal.line === undefined ? '' : ` line ${refusal.line}`;
    const at = refusal.at === '' ? '' : ` (${quote(refusal.at)})`;
    super(`the policy ${quote(path)}${line}${at}: ${refusal.reason}`, options);
    this.name = 'PolicyFileError';
    this.path = path;
    this.source = source;
    this.refusal = refusal;
  }
}

export type RulesErrorCode =
  /** No such rule of the person's; those of files are changed where they are. */
  | 'NotFound'
  /** There are as many as there may be. */
  | 'TooMany';

/** The person's rules cannot be changed as wished. What is wrong with a rule's words is a `PolicyError`. */
export class RulesError extends Error {
  readonly code: RulesErrorCode;

  constructor(code: RulesErrorCode, message: string) {
    super(message);
    this.name = 'RulesError';
    this.code = code;
  }
}
