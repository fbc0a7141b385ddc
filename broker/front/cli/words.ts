// SPDX-License-Identifier: Apache-2.0
import { visible } from './escape.ts';

const GATE_WORDS: Readonly<Record<string, string>> = {
  automatic: 'runs without asking',
  ask: 'a person is asked',
  confirm: 'a person confirms each time',
};

/** What stands between an intent and its execution, for a person. */
export function wordsForGate(gate: string): string {
  return Object.hasOwn(GATE_WORDS, gate) ? (GATE_WORDS[gate] ?? '') : visible(gate);
}
