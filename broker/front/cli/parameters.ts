// SPDX-License-Identifier: Apache-2.0
import { KeyError } from '../../../keys/error.ts';
import { parseStrictJson } from '../../../keys/strict-json.ts';
import { DEFAULTS } from '../../config.ts';
import type { Options } from './command.ts';
import { CliError } from './error.ts';
import { readInput } from './files.ts';

export type Parameters = Readonly<Record<string, unknown>>;

/** The parameters that `--params` or `--param` give; an empty object where neither does. */
export function parametersIn(options: Options): Parameters {
  const whole = options.text('params');
  const single = options.texts('param');
  if (whole !== undefined && single.length > 0) {
    throw new CliError(
      'BadOption',
      '`--params` and `--param` exclude each other',
      'give all parameters in one of the two ways',
    );
  }
  if (whole === undefined) return Object.fromEntries(uniqueEntries(single.map(entry)));
  return wholeParameters(whole);
}

/** All parameters as one text, `-` for standard input. Throws `BadOption`, with the place. */
export function wholeParameters(text: string): Parameters {
  return parameterObject(text === '-' ? readInput('-', DEFAULTS.params.maxBytes) : Buffer.from(text));
}

/** Parameters from JSON text. Throws `BadOption`, with the place. */
export function parameterObject(bytes: Uint8Array): Parameters {
  const value = strictJson(bytes, 'the parameters');
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new CliError('BadOption', 'the parameters are not a JSON object', 'write them as `{"KEY": VALUE}`');
}

function entry(text: string): readonly [key: string, value: unknown] {
  const [, key, json, value = ''] = /^([^=:]+)(:)?=([\s\S]*)$/.exec(text) ?? [];
  if (key === undefined) {
    throw new CliError(
      'BadOption',
      `\`--param\` cannot be read from \`${text}\``,
      'write KEY=TEXT, or KEY:=JSON for a number, a boolean, a list',
    );
  }
  return [key, json === undefined ? value : strictJson(Buffer.from(value), `the value of \`${key}\``)];
}

function uniqueEntries(
  entries: readonly (readonly [string, unknown])[],
): readonly (readonly [string, unknown])[] {
  const keys = entries.map(([key]) => key);
  const repeated = keys.find((key, index) => keys.indexOf(key) !== index);
  if (repeated === undefined) return entries;
  throw new CliError(
    'BadOption',
    `the parameter \`${repeated}\` is given twice`,
    'a list is written KEY:=[A, B]',
  );
}

function strictJson(bytes: Uint8Array, what: string): unknown {
  try {
    return parseStrictJson(bytes, DEFAULTS.params);
  } catch (cause) {
    if (!(cause instanceof KeyError)) throw cause;
    const at = cause.at === undefined || cause.at === '' ? '' : ` at \`${cause.at}\``;
    throw new CliError(
      'BadOption',
      `${what}${at}: ${cause.message}`,
      'text needs quotes in JSON; in a shell put all of it in single quotes',
      { cause },
    );
  }
}
