// SPDX-License-Identifier: Apache-2.0
import type { Finding } from '../../client.ts';
import { quote } from './escape.ts';
import { flow, wordsOf } from './flow.ts';
import type { Line } from './screen.ts';

const INDENT = 11;

/**
 * What is odd about a rule or grant: the kind, the sentence, and which rule stands in the way and for which target it shows,
 * where the sentence does not name them itself.
 */
export function findingLines(findings: readonly Finding[], room: number): readonly Line[] {
  return findings.flatMap(({ kind, text, rule, by, example }) => {
    const missing = [
      rule === undefined || text.includes(rule) ? '' : `of ${rule}: `,
      text,
      by === undefined || text.includes(by) ? '' : `; the rule in its way is ${by}`,
      example === undefined || text.includes(example) ? '' : `; for example on ${quote(example)}`,
    ];
    const head = `${kind.padEnd(INDENT - 2)}  `;
    const [first = '', ...others] = flow(wordsOf(missing.join('')), {
      room,
      taken: head.length,
      indent: INDENT,
    });
    return [[{ text: head, style: 'yellow' }, first], ...others];
  });
}
