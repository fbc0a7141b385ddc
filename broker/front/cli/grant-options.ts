// SPDX-License-Identifier: Apache-2.0
import type { GrantBounds } from '../../client.ts';
import type { Options } from './command.ts';
import { CliError } from './error.ts';
import { oneOf, wholeNumber } from './option-values.ts';

export const MINUTES = { least: 1, most: 10_080 } as const;
export const OPERATIONS = { least: 1, most: 10_000 } as const;

/** The bounds of a grant that options name; what is not named is left out. Throws `BadOption`. */
export function boundsIn(options: Options): GrantBounds {
  const bounds: GrantBounds = {
    target: options.text('target'),
    params: globsIn(options),
    access: oneOf(options, 'access', ['read', 'write']),
    minutes: wholeNumber(options, 'minutes', MINUTES),
    operations: wholeNumber(options, 'operations', OPERATIONS),
  };
  return Object.fromEntries(Object.entries(bounds).filter(([, value]) => value !== undefined));
}

/** `--param /path=GLOB`: each a JSON pointer into the parameters and what its value has to match. */
function globsIn(options: Options): Readonly<Record<string, string>> | undefined {
  const given = options.texts('param');
  if (given.length === 0) return undefined;
  const globs = new Map<string, string>();
  for (const text of given) {
    const [, pointer, glob] = /^(\/[^=]*)=([\s\S]*)$/.exec(text) ?? [];
    if (pointer === undefined || glob === undefined || globs.has(pointer)) {
      throw new CliError(
        'BadOption',
        `\`--param\` cannot be read from \`${text}\``,
        'write /POINTER=GLOB, such as /name=draft-*, each pointer once',
      );
    }
    globs.set(pointer, glob);
  }
  return Object.fromEntries(globs);
}
