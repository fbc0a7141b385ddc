// SPDX-License-Identifier: Apache-2.0
import { CliError } from './error.ts';

/** How much of an id a table shows, which is enough to name it. */
export const SHORT_ID = 8;

/**
 * The one of `rows` whose id is `given` or begins with it. Throws `NotFound`, and `BadOperand` where several do.
 * @param what the kind of row, for the person
 * @param list the command that shows them
 */
export function byId<T extends { readonly id: string }>(
  rows: readonly T[],
  given: string,
  { what, list }: { readonly what: string; readonly list: string },
): T {
  const exact = rows.find(({ id }) => id === given);
  if (exact !== undefined) return exact;
  const found = rows.filter(({ id }) => given.length >= 4 && id.startsWith(given));
  const [only] = found;
  if (only === undefined) {
    throw new CliError('NotFound', `there is no ${what} \`${given}\``, `\`${list}\` shows them`);
  }
  if (found.length === 1) return only;
  throw new CliError(
    'BadOperand',
    `\`${given}\` begins the id of more than one ${what}`,
    'give more of it, or all',
  );
}

/** What a table shows of an id. */
export function shortId(id: string): string {
  return id.slice(0, SHORT_ID);
}
