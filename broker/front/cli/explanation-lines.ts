// SPDX-License-Identifier: Apache-2.0
import type { Explanation } from '../../client.ts';
import { paragraph } from './flow.ts';
import type { Line } from './screen.ts';
import { wordsForGate } from './words.ts';

/** What would happen, in few lines. */
export function explanationLines(explanation: Explanation, room: number): readonly Line[] {
  const { effect, stage, code, message, gate, risk, undo_window_ms: undo } = explanation;
  if (effect === 'deny')
    return [
      [{ text: 'would be denied', style: 'red' }, ` at stage ${stage}: ${code}`],
      ...paragraph(message ?? '', { room, indent: 2 }),
    ];
  return [
    effect === 'ask' ? 'a person would be asked' : 'would run at once',
    `  ${risk} risk, ${wordsForGate(gate ?? '')}`,
    undo === undefined ? '  cannot be undone' : `  can be undone for ${undo / 1000} s`,
  ];
}
