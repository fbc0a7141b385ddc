// SPDX-License-Identifier: Apache-2.0
import { visible } from './escape.ts';

const GATE_WORDS: ReadonlyMap<string, string> = new Map([
  ['automatic', 'runs without asking'],
  ['ask', 'a person is asked'],
  ['confirm', 'a person confirms each time'],
]);

/** What stands between an intent and its execution, for a person. */
export function wordsForGate(gate: string): string {
  return GATE_WORDS.get(gate) ?? visible(gate);
}
