// SPDX-License-Identifier: Apache-2.0

/** How much of a value is shown before the person asks for all of it. */
export interface CutLimits {
  /** Characters of one line; an escape counts as one. */
  readonly line: number;
  /** Lines of one value. */
  readonly lines: number;
}

export interface Cut {
  readonly lines: readonly string[];
  readonly isCut: boolean;
}

// An escape is never cut in two: half of one would read as something else.
const UNIT = /\\u\{[0-9a-f]+\}|\\[\s\S]|[\s\S]/gu;

/** The beginning and the end of what is too long, with how much there is in full. */
export function cut(lines: readonly string[], limits: CutLimits): Cut {
  const shown = lines.slice(0, limits.lines).map((line) => cutLine(line, limits.line));
  const more = lines.length > limits.lines;
  return {
    lines: more ? [...shown, `[cut: ${limits.lines} of ${lines.length} lines]`] : shown,
    isCut: more || shown.some((line, index) => line !== lines[index]),
  };
}

function cutLine(line: string, most: number): string {
  if (line.length <= most) return line;
  const units = line.match(UNIT) ?? [];
  if (units.length <= most) return line;
  const tail = Math.floor(most / 4);
  const start = units.slice(0, most - tail).join('');
  return `${start} [cut: ${most} of ${units.length} characters] ${units.slice(-tail).join('')}`;
}
