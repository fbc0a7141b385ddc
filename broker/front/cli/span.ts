// SPDX-License-Identifier: Apache-2.0

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const;

/** A length of time in its largest unit, rounded down, such as `4 min`; what is negative is nothing. */
export function span(ms: number): string {
  for (const [unit, length] of UNITS) {
    if (ms >= length) return `${Math.floor(ms / length)} ${unit}`;
  }
  return '0 s';
}
