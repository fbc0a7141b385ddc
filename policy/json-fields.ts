// SPDX-License-Identifier: Apache-2.0
import { quote } from '../keys/error.ts';
import { below } from '../manifests/pointer.ts';
import { PolicyError, type PolicyErrorCode } from './error.ts';

/**
 * Reads a JSON object field by field. What is left at the end was unknown, and is refused: a misspelt limit must not be
 * one that is left out. Every method throws a PolicyError of `code` with the JSON pointer of the place.
 */
export class JsonFields {
  readonly #code: PolicyErrorCode;
  readonly #left: Map<string, unknown>;

  constructor(value: unknown, code: PolicyErrorCode) {
    this.#code = code;
    this.#left = new Map(Object.entries(this.#object(value, '')));
  }

  has(key: string): boolean {
    return this.#left.has(key);
  }

  /** Neither empty nor blank, and at most `most` characters. */
  text(key: string, most: number): string {
    return this.#text(this.#take(key), below('', key), most);
  }

  texts(key: string, most: { readonly count: number; readonly length: number }): readonly string[] {
    const value = this.#take(key);
    if (!Array.isArray(value) || value.length > most.count) {
      throw this.invalid(below('', key), `must be a list of at most ${most.count} texts`);
    }
    return value.map((one, index) => this.#text(one, below(below('', key), index), most.length));
  }

  /** The members of an object, as they stand in it. */
  members(key: string): readonly (readonly [name: string, value: unknown])[] {
    return Object.entries(this.#object(this.#take(key), below('', key)));
  }

  wholeNumber(key: string, least: number, most: number): number {
    const value = this.#take(key);
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
    throw this.invalid(below('', key), `must be a whole number from ${least} to ${most}`);
  }

  oneOf<const T extends string>(key: string, choices: readonly T[]): T {
    const value = this.#take(key);
    const found = choices.find((choice) => choice === value);
    if (found !== undefined) return found;
    throw this.invalid(
      below('', key),
      `must be one of ${choices.map((choice) => `\`${choice}\``).join(', ')}`,
    );
  }

  /** To be called last. */
  done(): void {
    const [unknown] = this.#left.keys();
    if (unknown !== undefined) throw this.invalid(below('', unknown), 'is no known field');
  }

  /** An error about the place `at`. */
  invalid(at: string, what: string, options?: ErrorOptions): PolicyError {
    return new PolicyError(this.#code, `${at === '' ? 'it' : quote(at)} ${what}`, at, options);
  }

  #take(key: string): unknown {
    if (!this.#left.has(key)) throw this.invalid(below('', key), 'is missing');
    const value = this.#left.get(key);
    this.#left.delete(key);
    return value;
  }

  #text(value: unknown, at: string, most: number): string {
    if (typeof value === 'string' && value.trim() !== '' && value.length <= most) return value;
    throw this.invalid(at, `must be a text of 1 to ${most} characters`);
  }

  #object(value: unknown, at: string): object {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
    throw this.invalid(at, 'must be an object');
  }
}
