// SPDX-License-Identifier: Apache-2.0

/** Bounded, so that a version of a million digits costs nothing to compare. */
const NUMERIC_DOTTED = /^\d{1,18}(?:\.\d{1,18}){0,9}$/;

/** Whether the version is numbers joined by dots, the only form that orders without a convention of its own. */
export function isOrdered(version: string): boolean {
  return NUMERIC_DOTTED.test(version);
}

/** Negative, zero or positive; a missing part counts as zero and parts compare as numbers (1.9 < 1.10). */
export function compareVersions(a: string, b: string): number {
  const left = parts(a);
  const right = parts(b);
  const length = Math.max(left.length, right.length);
  for (let index = 0; index < length; index += 1) {
    const difference = (left[index] ?? 0n) - (right[index] ?? 0n);
    if (difference !== 0n) return difference < 0n ? -1 : 1;
  }
  return 0;
}

function parts(version: string): bigint[] {
  return version.split('.').map((part) => BigInt(part));
}
