// SPDX-License-Identifier: Apache-2.0
import type { EarlierDecision } from '../../client.ts';
import { visible } from './escape.ts';
import { span } from './span.ts';

/** What the person decided before, newest as it comes: `once, 3 h ago`. */
export function earlierWords(earlier: readonly EarlierDecision[], now: number): readonly string[] {
  return earlier.map(({ decision, time }) => `${visible(decision)}, ${span(now - time)} ago`);
}
