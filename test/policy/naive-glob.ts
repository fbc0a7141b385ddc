// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';

/** A glob as it is meant, before it is a text: what the real one is compared with knows nothing of how it is read. */
export type Part = string | 'ONE' | 'RUN' | 'DEEP' | readonly Part[][];

/** The text of a glob. Special characters are escaped where they are meant as such. */
export function textOf(parts: readonly Part[]): string {
  return parts
    .map((part) => {
      if (typeof part !== 'string') return `{${part.map(textOf).join(',')}}`;
      if (part === 'ONE') return '?';
      if (part === 'RUN') return '*';
      if (part === 'DEEP') return '**';
      return /[*?{},\\]/.test(part) ? `\\${part}` : part;
    })
    .join('');
}

/** Whether the parts match, tried out one way after the other. */
export function naivelyMatches(parts: readonly Part[], value: readonly string[]): boolean {
  const [part, ...rest] = parts;
  if (part === undefined) return value.length === 0;
  if (typeof part !== 'string') return part.some((some) => naivelyMatches([...some, ...rest], value));
  const [first, ...others] = value;
  if (part === 'RUN' || part === 'DEEP') {
    if (naivelyMatches(rest, value)) return true;
    return first !== undefined && (part === 'DEEP' || first !== '/') && naivelyMatches(parts, others);
  }
  if (first === undefined || (part === 'ONE' ? first === '/' : first !== part)) return false;
  return naivelyMatches(rest, others);
}

/** How many texts the braces stand for. */
export function naivelyCounted(parts: readonly Part[]): number {
  return parts.reduce(
    (product: number, part) =>
      typeof part === 'string'
        ? product
        : product * part.reduce((sum, some) => sum + naivelyCounted(some), 0),
    1,
  );
}

const CHARS = ['a', 'b', '/', '.', '*', '?', '{', '}', ',', '\\', 'é', '𝒳'] as const;

/** Globs of any shape that may be written: one with more wildcards is refused. */
export const anyParts: fc.Arbitrary<readonly Part[]> = anyShape().filter((parts) => starsIn(parts) <= 32);

function anyShape(): fc.Arbitrary<readonly Part[]> {
  return fc.letrec<{ parts: Part[]; part: Part }>((tie) => ({
    part: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom<Part[]>(...CHARS, 'ONE', 'RUN', 'DEEP'),
      fc.array(tie('parts'), { minLength: 1, maxLength: 3 }),
    ),
    parts: fc.array(tie('part'), { maxLength: 5 }).map(withoutStarRuns),
  })).parts;
}

function starsIn(parts: readonly Part[]): number {
  return parts.reduce((sum: number, part) => {
    if (typeof part !== 'string') return sum + starsIn(part.flat());
    return isStar(part) ? sum + 1 : sum;
  }, 0);
}

/** Two stars beside each other are read as one `**`: the text would not mean the parts. */
function withoutStarRuns(parts: readonly Part[]): Part[] {
  return parts.filter((part, index) => !(isStar(part) && isStar(parts[index - 1])));
}

/** Every glob of at most `longest` of these parts. */
export function globsOf(choices: readonly Part[], longest: number): readonly (readonly Part[])[] {
  return listsOf(choices, longest).filter(
    (parts) => parts.length > 0 && withoutStarRuns(parts).length === parts.length,
  );
}

function isStar(part: Part | undefined): boolean {
  return part === 'RUN' || part === 'DEEP';
}

export const anyText: fc.Arbitrary<readonly string[]> = fc.array(fc.constantFrom(...CHARS), { maxLength: 8 });

/** Every list of at most `longest` of these. */
export function listsOf<T>(choices: readonly T[], longest: number): readonly (readonly T[])[] {
  if (longest === 0) return [[]];
  return [[], ...listsOf(choices, longest - 1).flatMap((list) => choices.map((choice) => [choice, ...list]))];
}
