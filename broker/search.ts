// SPDX-License-Identifier: Apache-2.0
import type { Entry } from '../manifests/registry.ts';

/** What a word is worth by where it stands. */
const WEIGHTS = { id: 4, name: 3, description: 1 } as const;

/** Each word is looked for in every text, and everybody else waits. */
const MOST_WORDS = 16;

/** The entries that hold any of the words, those that hold more of them in weightier places first; ties by id. */
export function bestFirst(entries: readonly Entry[], text: string): readonly Entry[] {
  const words = [...new Set(text.toLowerCase().split(/\s+/))]
    .filter((word) => word !== '')
    .slice(0, MOST_WORDS);
  return entries
    .map((entry) => ({ entry, score: score(entry, words) }))
    .filter(({ score: found }) => found > 0)
    .sort((a, b) => b.score - a.score || (a.entry.capability.id < b.entry.capability.id ? -1 : 1))
    .map(({ entry }) => entry);
}

function score({ capability }: Entry, words: readonly string[]): number {
  let sum = 0;
  for (const field of ['id', 'name', 'description'] as const) {
    const place = capability[field].toLowerCase();
    for (const word of words) if (place.includes(word)) sum += WEIGHTS[field];
  }
  return sum;
}
