// SPDX-License-Identifier: Apache-2.0
import { BrokerError } from './error.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses JSON text from the broker. Throws a BrokerError `Protocol`. */
export function parseReply(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch (cause) {
    throw new BrokerError('Protocol', 'the broker answered with text that is not JSON', { cause });
  }
}

/** As `parseReply`, for what must be an object. */
export function parseReplyObject(text: string): JsonObject {
  const value = parseReply(text);
  if (isJsonObject(value)) return value;
  throw new BrokerError('Protocol', 'the broker answered with JSON that is not an object');
}
