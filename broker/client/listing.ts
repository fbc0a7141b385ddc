// SPDX-License-Identifier: Apache-2.0
import { BrokerError } from '../peer/error.ts';
import { isJsonObject, type JsonObject, parseReply, parseReplyObject } from '../peer/json.ts';

/** Why an app's manifest was not accepted, with a JSON pointer to the place. */
export interface TierReason {
  readonly code: string;
  readonly pointer: string;
  readonly message: string;
}

export interface ListedApp {
  readonly app_id: string;
  readonly tier: 1 | 2;
  readonly reason?: TierReason;
}

/** One capability as List gives it; which fields there are depends on the detail that was asked for. */
export interface ListedCapability {
  readonly id: string;
  readonly version: string;
  /** Absent for the broker's own. */
  readonly app_id?: string;
  /** The app's own words, as is the description. */
  readonly name: string;
  readonly description: string;
  readonly category: string;
  readonly side_effects: string;
  readonly risk: string;
  readonly gate: string;
  readonly undo_window_ms?: number;
  readonly parameters?: JsonObject;
  readonly returns?: JsonObject;
  readonly bounds?: JsonObject;
  readonly digest?: string;
}

export interface Listing {
  /** Number of the registry's state that the list shows. */
  readonly epoch: number;
  /** How many match, before offset and limit. */
  readonly total: number;
  /** Ids alone with the detail `ids`. */
  readonly capabilities: readonly (ListedCapability | string)[];
  readonly apps: readonly ListedApp[];
}

export interface Explanation {
  readonly effect: 'allow' | 'ask' | 'deny';
  readonly stage: string;
  readonly code?: string;
  readonly message?: string;
  readonly gate?: 'automatic' | 'ask' | 'confirm';
  readonly risk?: string;
  readonly undo_window_ms?: number;
}

/** Reads the answer of List. Throws a BrokerError `Protocol`. */
export function parseListing(epoch: unknown, text: string): Listing {
  const value = parseReplyObject(text);
  const { total, capabilities, apps } = value;
  if (typeof epoch !== 'bigint' || typeof total !== 'number') throw misunderstood();
  return {
    epoch: Number(epoch),
    total,
    capabilities: list(capabilities, isListed),
    apps: list(apps, isListedApp),
  };
}

/** Reads the answer of Explain. Throws a BrokerError `Protocol`. */
export function parseExplanation(text: string): Explanation {
  const value = parseReplyObject(text);
  if (!isExplanation(value)) throw misunderstood();
  return value;
}

/** Reads a JSON array of objects. Throws a BrokerError `Protocol`. */
export function parseObjects(text: string): readonly JsonObject[] {
  return list(parseReply(text), isJsonObject);
}

function list<T>(value: unknown, is: (entry: unknown) => entry is T): readonly T[] {
  const entries: readonly unknown[] = Array.isArray(value) ? value : [undefined];
  if (!entries.every(is)) throw misunderstood();
  return entries;
}

function isListed(value: unknown): value is ListedCapability | string {
  return typeof value === 'string' || (isJsonObject(value) && typeof value.id === 'string');
}

function isListedApp(value: unknown): value is ListedApp {
  return isJsonObject(value) && typeof value.app_id === 'string' && (value.tier === 1 || value.tier === 2);
}

function isExplanation(value: JsonObject): value is JsonObject & Explanation {
  return ['allow', 'ask', 'deny'].includes(String(value.effect)) && typeof value.stage === 'string';
}

function misunderstood(): BrokerError {
  return new BrokerError('Protocol', 'the broker answered in another form than this version knows');
}
