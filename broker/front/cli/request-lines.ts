// SPDX-License-Identifier: Apache-2.0
import type { CapabilityRequestRow } from '../../client.ts';
import { wrap } from './confirm/wrap.ts';
import { earlierWords } from './earlier.ts';
import { quote, visible } from './escape.ts';
import { boundWords } from './grant-lines.ts';
import type { Line } from './screen.ts';
import { span } from './span.ts';

/** All of what an intelligence asks for. What it says itself stands in quotes, and begins no line. */
export function requestLines(request: CapabilityRequestRow, now: number, room: number): readonly Line[] {
  const { id, principal, capability, minutes, operations, since, expires_at } = request;
  const fields: readonly (readonly [label: string, value: string])[] = [
    ['who asks', visible(principal)],
    ['for', visible(capability)],
    ['bounds', [...boundWords(request), `${operations} times`, `for ${span(minutes * 60_000)}`].join(', ')],
    ['asked', `${span(now - since)} ago, ends in ${span(expires_at - now)}`],
    ['it says why', quote(request.reason)],
    ...texts('it points to', request.evidence),
    ...texts('the risk, it says', one(request.risk)),
    ...texts('it lessens that by', one(request.mitigation)),
    ...texts('without it', one(request.fallback)),
    ...texts('in place of it', request.alternatives),
    ...texts('all for', one(request.intention)),
    ...earlierWords(request.earlier, now).map((words) => ['you decided before', words] as const),
  ];
  return [
    [{ text: id, style: 'bold' }],
    ...fields.flatMap(([label, value]) => wrap(`  ${label}: ${value}`, room)),
  ];
}

function one(text: string | undefined): readonly string[] {
  return text === undefined ? [] : [text];
}

function texts(label: string, given: readonly string[] = []): readonly (readonly [string, string])[] {
  return given.map((text) => [label, quote(text)]);
}
