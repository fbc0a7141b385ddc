// SPDX-License-Identifier: Apache-2.0
import { asDictionary } from '../../dbus/values.ts';
import { CallError } from './errors.ts';

const MAX_TEXT = 4096;

/** Reads an `a{sv}` argument key by key. What is left at the end was unknown, and is refused. */
export class Options {
  readonly #left: Map<string, unknown>;

  /** @throws DBusError for what is no dictionary, or has a key twice */
  constructor(value: unknown) {
    this.#left = asDictionary(value);
  }

  text(key: string, pattern?: RegExp): string | undefined {
    const value = this.#take(key);
    if (value === undefined) return undefined;
    if (typeof value !== 'string' || value.length > MAX_TEXT) {
      throw invalid(`the option \`${key}\` must be a text of at most ${MAX_TEXT} characters`);
    }
    if (pattern !== undefined && !pattern.test(value))
      throw invalid(`the option \`${key}\` must match ${pattern.source}`);
    return value;
  }

  /** JSON text: what reads it bounds it. */
  longText(key: string): string | undefined {
    const value = this.#take(key);
    if (value === undefined || typeof value === 'string') return value;
    throw invalid(`the option \`${key}\` must be a text`);
  }

  oneOf<const T extends string>(key: string, choices: readonly T[]): T | undefined {
    const value = this.#take(key);
    if (value === undefined) return undefined;
    const found = choices.find((choice) => choice === value);
    if (found === undefined) throw invalid(`the option \`${key}\` must be one of ${choices.join(', ')}`);
    return found;
  }

  texts(key: string, most: number): readonly string[] {
    const value = this.#take(key) ?? [];
    const fine =
      Array.isArray(value) &&
      value.length <= most &&
      value.every((one) => typeof one === 'string' && one.length <= MAX_TEXT);
    if (!fine) throw invalid(`the option \`${key}\` must be a list of at most ${most} texts`);
    return value;
  }

  flag(key: string): boolean {
    const value = this.#take(key) ?? false;
    if (typeof value !== 'boolean') throw invalid(`the option \`${key}\` must be a boolean`);
    return value;
  }

  count(key: string, least: number, most: number): number | undefined {
    const given = this.#take(key);
    if (given === undefined) return undefined;
    const value = typeof given === 'bigint' ? Number(given) : given;
    if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most) {
      throw invalid(`the option \`${key}\` must be a whole number from ${least} to ${most}`);
    }
    return value;
  }

  /** @throws CallError `InvalidArgs` when a key was given that nobody asked for */
  done(): void {
    const [unknown] = this.#left.keys();
    if (unknown !== undefined)
      throw invalid(
        `there is no option \`${unknown.slice(0, 64)}\` here: who calls and who approved is never an option`,
      );
  }

  #take(key: string): unknown {
    const value = this.#left.get(key);
    this.#left.delete(key);
    return value;
  }
}

function invalid(message: string): CallError {
  return new CallError('InvalidArgs', message);
}

/** An argument that the signature says is a text. */
export function textArgument(value: unknown): string {
  if (typeof value === 'string') return value;
  throw invalid('expected a text');
}
