// SPDX-License-Identifier: Apache-2.0
import { asNumber, asText } from './answers.ts';
import type { Element } from './element.ts';
import { label } from './label.ts';
import type { AppLine, Patience } from './line.ts';
import { METHOD, PROPERTY } from './names.ts';
import { inTurns } from './turns.ts';

/**
 * The names of what an element can be made to do, each at its index; none for an element without actions. Names and not
 * GetActions, whose texts are translated and which some toolkits leave empty. Rejects with an AccessibilityError.
 */
export async function readActions(
  line: AppLine,
  { ref, interfaces }: Pick<Element, 'ref' | 'interfaces'>,
  patience: Patience = {},
): Promise<readonly string[]> {
  if (!interfaces.has('Action')) return [];
  const { maxActions, maxNameLength, pipeline } = line.limits;
  const count = asNumber(await line.get(ref.path, PROPERTY.actionCount, patience));
  const indices = Array.from({ length: Math.max(0, Math.min(count, maxActions)) }, (_none, index) => index);
  return await inTurns(indices, pipeline, async (index) => {
    const [name] = await line.ask(ref.path, METHOD.getActionName, [index], patience);
    return label(asText(name), maxNameLength);
  });
}
