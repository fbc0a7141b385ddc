// SPDX-License-Identifier: Apache-2.0
import type { Glob } from './glob.ts';

/** The two globs would take too long to compare. */
export type TooComplex = 'too-complex';

/** Whether everything that `narrow` matches is matched by `wide`; else the shortest text that is not. */
export function includes(wide: Glob, narrow: Glob): true | { readonly counterExample: string } | TooComplex {
  void wide;
  void narrow;
  return 'too-complex';
}

/** The shortest text that both match; undefined where there is none. */
export function overlap(a: Glob, b: Glob): { readonly example: string } | undefined | TooComplex {
  void a;
  void b;
  return 'too-complex';
}
