// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { pino } from 'pino';

/** The process's log: JSON lines on standard error, where the journal reads them. Never a parameter, result or app's word. */
export interface Log {
  info(message: string, facts?: Readonly<Record<string, string | number | boolean>>): void;
  /** Logs where and as what something failed, without its message, which may quote a call; returns an id for the caller. */
  fault(error: unknown): string;
  /** Notes the end of the audit chain outside its store, so that a shortened one can be recognised. */
  checkpoint(end: { readonly head: string; readonly count: number }): void;
}

export function openLog(): Log {
  const logger = pino(
    { base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ fd: 2, sync: true }),
  );
  return {
    info: (message, facts = {}) => logger.info(facts, message),
    fault(error) {
      const fault = randomBytes(6).toString('hex');
      logger.error({ fault, ...describe(error) }, 'fault');
      return fault;
    },
    checkpoint: ({ head, count }) => logger.info({ head, count }, 'audit checkpoint'),
  };
}

function describe(error: unknown): { kind: string; code?: string; at?: readonly string[] } {
  if (!(error instanceof Error)) return { kind: typeof error };
  // The stack begins with name and message, and either can be made to look like the lines after it.
  const { stack = '', name, message } = error;
  const words = message === '' ? name : message;
  const at = stack
    .slice(stack.lastIndexOf(words) + words.length)
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 8)
    .map((line) => line.trim());
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
  return { kind: error.constructor.name, ...code, at };
}
