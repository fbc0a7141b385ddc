// SPDX-License-Identifier: Apache-2.0
import { BrokerError } from '../peer/error.ts';
import { isJsonObject, type JsonObject, parseReply, parseReplyObject } from '../peer/json.ts';

/** What a field of an answer has to be. */
export type FieldType = 'text' | 'number' | 'boolean' | 'list' | 'texts' | 'object';

/** The fields without which an answer is none. */
export type Fields<T> = Readonly<Partial<Record<keyof T & string, FieldType>>>;

const IS: Readonly<Record<FieldType, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  list: Array.isArray,
  texts: (value) => Array.isArray(value) && value.every((entry) => typeof entry === 'string'),
  object: isJsonObject,
};

/** Reads a JSON object with these fields; others may be there. Throws a BrokerError `Protocol`. */
export function readObject<T>(text: string, fields: Fields<T>): T {
  return withFields(parseReplyObject(text), fields);
}

/** Reads a JSON array of such objects. Throws a BrokerError `Protocol`. */
export function readObjects<T>(text: string, fields: Fields<T>): readonly T[] {
  const value = parseReply(text);
  if (!Array.isArray(value)) throw misunderstood();
  return value.map((entry: unknown) => withFields(entry, fields));
}

/** `value` as an object that has these fields. Throws a BrokerError `Protocol`. */
export function withFields<T>(value: unknown, fields: Fields<T>): T {
  if (!isJsonObject(value) || !hasFields(value, fields)) throw misunderstood();
  // The parse boundary: what is optional is as dbus-policy/*.xml describes it, for which the broker vouches.
  return value as T;
}

function hasFields(value: JsonObject, fields: Readonly<Record<string, FieldType | undefined>>): boolean {
  return Object.entries(fields).every(([name, type]) => type === undefined || IS[type](value[name]));
}

function misunderstood(): BrokerError {
  return new BrokerError('Protocol', 'the broker answered in another form than this version knows');
}
