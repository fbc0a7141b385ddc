// SPDX-License-Identifier: Apache-2.0
// Holds the coverage that the tests just reached against what each folder must have.
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { requireNode24 } from './node24.ts';

requireNode24();

const ROOT = join(import.meta.dirname, '..');
/** Percent of lines and branches. What decides what may run is covered whole. */
const NEEDED: Readonly<Record<string, number>> = {
  keys: 100,
  manifests: 100,
  policy: 100,
  dbus: 95,
  'tier2-atspi': 95,
  broker: 95,
  examples: 95,
};

interface Counts {
  readonly total: number;
  readonly covered: number;
}
type Summary = Readonly<Record<string, { readonly lines: Counts; readonly branches: Counts }>>;

const summary = JSON.parse(readFileSync(join(ROOT, 'coverage/coverage-summary.json'), 'utf8')) as Summary;
const sums = new Map<string, number>();
for (const [file, counts] of Object.entries(summary)) {
  if (file === 'total') continue;
  const folder = relative(ROOT, file).split('/')[0] ?? '';
  for (const kind of ['lines', 'branches'] as const) {
    for (const what of ['total', 'covered'] as const) {
      const key = `${folder} ${kind} ${what}`;
      sums.set(key, (sums.get(key) ?? 0) + counts[kind][what]);
    }
  }
}

let short = false;
for (const [folder, needed] of Object.entries(NEEDED)) {
  for (const kind of ['lines', 'branches'] as const) {
    const total = sums.get(`${folder} ${kind} total`) ?? 0;
    const percent = (100 * (sums.get(`${folder} ${kind} covered`) ?? 0)) / total;
    const enough = total > 0 && percent >= needed;
    short ||= !enough;
    process.stdout.write(
      `${enough ? 'ok   ' : 'SHORT'} ${folder} ${kind}: ${percent.toFixed(2)} % of at least ${needed} %\n`,
    );
  }
}
if (short) process.exit(1);
