// SPDX-License-Identifier: Apache-2.0
import type { Finding } from '../../client.ts';
import { quote } from './escape.ts';
import type { Line } from './screen.ts';

/** What is odd about a rule or grant: the kind, the sentence, who stands in the way, and a target for which it shows. */
export function findingLines(findings: readonly Finding[]): readonly Line[] {
  return findings.flatMap(({ kind, text, rule, by, example }) => [
    [{ text: kind, style: 'yellow' } as const, `${rule === undefined ? '' : ` of ${rule}`}: ${text}`],
    ...(by === undefined ? [] : [`  the rule in its way: ${by}`]),
    ...(example === undefined ? [] : [`  for example on the target ${quote(example)}`]),
  ]);
}
