// SPDX-License-Identifier: Apache-2.0
import type { Ref } from './element.ts';
import { AccessibilityError } from './error.ts';
import { NULL_PATH } from './names.ts';

// An answer's signature is the app's choice: each value is held against the form that the protocol gives it.

export function asText(value: unknown): string {
  if (typeof value !== 'string') throw malformed('a text');
  return value;
}

export function asNumber(value: unknown): number {
  if (typeof value !== 'number') throw malformed('a number');
  return value;
}

export function asList(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw malformed('a list');
  return value;
}

export function asTexts(value: unknown): readonly string[] {
  return asList(value).map(asText);
}

export function asNumbers(value: unknown): readonly number[] {
  return asList(value).map(asNumber);
}

/** A reference to an element; undefined for the one that stands for none. */
export function asRef(value: unknown): Ref | undefined {
  const [bus, path] = asList(value);
  const ref = { bus: asText(bus), path: asText(path) };
  return ref.path === NULL_PATH || ref.bus === '' ? undefined : ref;
}

export function asRefs(value: unknown): readonly Ref[] {
  return asList(value).flatMap((one) => asRef(one) ?? []);
}

function malformed(what: string): AccessibilityError {
  return new AccessibilityError('malformed', `${what} was expected in the app's answer`);
}
