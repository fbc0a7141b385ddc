// SPDX-License-Identifier: Apache-2.0
import { KeyError } from '../../keys/error.ts';
import { parseStrictJson } from '../../keys/strict-json.ts';
import type { Code } from '../intent/stage.ts';

/** What a provider answered, after its form was checked. */
export interface ProviderResult {
  readonly data: unknown;
  readonly stateAfter: unknown;
  readonly undoToken: string | undefined;
  /** Bytes of the whole answer. */
  readonly bytes: number;
}

/**
 * A dispatch that did not end in a usable result.
 * `says: 'failed'`: the provider itself reported a failure, so that is how it ended.
 * `says: 'nothing'`: nobody said how it ended; what may have written may have done so.
 */
export class ProviderFailure extends Error {
  readonly code: Code;
  readonly says: 'failed' | 'nothing';
  readonly recoverable: boolean;
  /** Whether the provider broke a bound it promised to keep. */
  readonly overBound: boolean;

  constructor(
    code: Code,
    message: string,
    how: { says: 'failed' | 'nothing'; recoverable?: boolean; overBound?: boolean },
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'ProviderFailure';
    this.code = code;
    this.says = how.says;
    this.recoverable = how.recoverable ?? false;
    this.overBound = how.overBound ?? false;
  }
}

const FIELDS: ReadonlySet<string> = new Set(['success', 'data', 'state_after', 'undo_token']);
const MAX_UNDO_TOKEN = 4096;
const ENVELOPE_BYTES = 8192;

/**
 * Reads a provider's answer: JSON text of `{success, data, state_after, undo_token}`, within `maxBytes`.
 *
 * @throws ProviderFailure `ResultTooLarge`, `ResultInvalid`, or `ExecutionFailed` where the provider says `success: false`
 */
export function parseResult(text: string, maxBytes: number, maxDepth: number): ProviderResult {
  const bytes = Buffer.byteLength(text, 'utf8');
  if (bytes > maxBytes + ENVELOPE_BYTES) throw tooLarge(maxBytes);
  const answer = record(parse(text, maxBytes + ENVELOPE_BYTES, maxDepth));
  if (typeof answer.success !== 'boolean') throw invalid('it has no boolean `success`');
  const unknown = Object.keys(answer).find((key) => !FIELDS.has(key));
  if (unknown !== undefined)
    throw invalid('it has a field that is none of success, data, state_after, undo_token');
  if (!answer.success)
    throw new ProviderFailure('ExecutionFailed', 'the app reports that it did not succeed', {
      says: 'failed',
    });
  return {
    data: answer.data ?? null,
    stateAfter: answer.state_after ?? null,
    undoToken: undoToken(answer.undo_token),
    bytes,
  };
}

/** Refuses data over the capability's own bound; measured on the JSON text that is handed on. */
export function boundData(data: unknown, maxBytes: number): void {
  if (Buffer.byteLength(JSON.stringify(data), 'utf8') > maxBytes) throw tooLarge(maxBytes);
}

function parse(text: string, maxBytes: number, maxDepth: number): unknown {
  try {
    return parseStrictJson(Buffer.from(text, 'utf8'), { maxBytes, maxDepth });
  } catch (cause) {
    if (cause instanceof KeyError) throw invalid('it is not strict JSON');
    throw cause;
  }
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Readonly<Record<string, unknown>>;
  throw invalid('it is not a JSON object');
}

function undoToken(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string' && value.length <= MAX_UNDO_TOKEN) return value;
  throw invalid(`its undo_token is not a text of at most ${MAX_UNDO_TOKEN} characters`);
}

function invalid(why: string): ProviderFailure {
  return new ProviderFailure('ResultInvalid', `the app's answer was refused: ${why}`, {
    says: 'nothing',
    overBound: true,
  });
}

function tooLarge(maxBytes: number): ProviderFailure {
  return new ProviderFailure('ResultTooLarge', `the app's answer is over the bound of ${maxBytes} bytes`, {
    says: 'nothing',
    overBound: true,
  });
}
