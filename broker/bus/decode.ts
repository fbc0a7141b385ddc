// SPDX-License-Identifier: Apache-2.0
import type { Intent, IntentContext } from '../../policy/intent.ts';
import { isRecordableOrigin } from '../audit/gate.ts';
import { CallError } from './errors.ts';
import { Options } from './options.ts';

/** How the reply to a call that makes a request is to come. */
export interface ReplyOptions {
  readonly handleToken: string | undefined;
  readonly waitMs: number;
}

const TOKEN = /^[A-Za-z0-9_]{1,64}$/;
/** Labels are recorded and compared, so they are identifiers and no texts. */
const LABEL = /^[A-Za-z0-9._:/@-]{1,128}$/;
const VERSION = /^\d{1,9}(?:\.\d{1,9})?$/;
const CONTEXTS: readonly IntentContext[] = ['live', 'dream', 'replay'];
const DEFAULT_WAIT_MS = 100;
const MAX_WAIT_MS = 55_000;
const MIN_TIMEOUT_MS = 100;
const MAX_TIMEOUT_MS = 0xffff_ffff;

/**
 * Reads the arguments of Dispatch and Explain.
 * @throws CallError or DBusError: unknown option, wrong type, malformed label
 */
export function decodeIntent(
  capability: string,
  params: string,
  given: unknown,
): { intent: Intent; reply: ReplyOptions } {
  const options = new Options(given);
  const reply = readReply(options);
  const version = options.text('version', VERSION);
  const intent: Intent = {
    capability,
    version: version === undefined || version.includes('.') ? version : `${version}.0`,
    params,
    context: options.oneOf('context', CONTEXTS) ?? 'live',
    category: options.text('category'),
    target: options.text('target'),
    session: options.text('session', LABEL),
    turn: options.text('turn', LABEL),
    reason: options.text('reason'),
    evidence: options.texts('evidence', 32),
    origin: readOrigin(options),
    intention: options.text('intention', LABEL),
    requireApproval: options.flag('require_approval'),
    timeoutMs: options.count('timeout_ms', MIN_TIMEOUT_MS, MAX_TIMEOUT_MS),
  };
  options.done();
  return { intent, reply };
}

/** Reads the options of Undo. */
export function decodeUndo(given: unknown): ReplyOptions & { readonly reason: string | undefined } {
  const options = new Options(given);
  const reply = readReply(options);
  const reason = options.text('reason');
  options.done();
  return { ...reply, reason };
}

/** Where a wish came from is recorded, and the record holds no free text. */
function readOrigin(options: Options): string | undefined {
  const origin = options.text('origin');
  if (origin === undefined || isRecordableOrigin(origin)) return origin;
  throw new CallError(
    'InvalidArgs',
    'the option `origin` must be a word such as `plan` or `ui`, with numbers of a step if any: `plan:3:1`',
  );
}

function readReply(options: Options): ReplyOptions {
  return {
    handleToken: options.text('handle_token', TOKEN),
    waitMs: options.count('wait_ms', 0, MAX_WAIT_MS) ?? DEFAULT_WAIT_MS,
  };
}
