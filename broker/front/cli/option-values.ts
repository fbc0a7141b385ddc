// SPDX-License-Identifier: Apache-2.0
import type { Options } from './command.ts';
import { CliError } from './error.ts';

export interface Bounds {
  readonly least: number;
  readonly most: number;
}

/** The option's value as a whole number within the bounds; undefined where it is not given. Throws `BadOption`. */
export function wholeNumber(options: Options, name: string, { least, most }: Bounds): number | undefined {
  const text = options.text(name);
  if (text === undefined) return undefined;
  const number = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new CliError(
    'BadOption',
    `\`--${name}\` cannot be \`${text}\``,
    `give a whole number from ${least} to ${most}`,
  );
}

/** As {@link wholeNumber}, for an option that has to be there. */
export function requiredNumber(options: Options, name: string, bounds: Bounds): number {
  const number = wholeNumber(options, name, bounds);
  if (number !== undefined) return number;
  throw new CliError('BadOption', `\`--${name}\` is missing`, `add \`--${name}=NUMBER\``);
}

/** An option's text, which has to be there. Throws `BadOption`. */
export function requiredText(options: Options, name: string): string {
  const text = options.text(name);
  if (text !== undefined) return text;
  throw new CliError('BadOption', `\`--${name}\` is missing`, `add \`--${name}=...\``);
}

/** One of the words, or undefined where the option is not given. Throws `BadOption`. */
export function oneOf<const T extends string>(
  options: Options,
  name: string,
  words: readonly T[],
): T | undefined {
  const text = options.text(name);
  if (text === undefined) return undefined;
  const found = words.find((word) => word === text);
  if (found !== undefined) return found;
  throw new CliError('BadOption', `\`--${name}\` cannot be \`${text}\``, `name one of ${words.join(', ')}`);
}
