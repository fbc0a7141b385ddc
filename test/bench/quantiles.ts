// SPDX-License-Identifier: Apache-2.0

/** The value below which the share `q` of the samples lies. */
export function quantile(samples: readonly number[], q: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

/** One line of a table: what was measured, the figures, and how it stands to the limit that the project set itself. */
export function row(what: string, measured: string, limit: string, within: boolean): void {
  process.stdout.write(
    `${what.padEnd(52)} ${measured.padEnd(34)} ${limit.padEnd(22)} ${within ? 'within' : 'OVER'}\n`,
  );
}
