// SPDX-License-Identifier: Apache-2.0
import type { GrantBounds, GrantRow } from '../../client.ts';
import { shortId } from './by-id.ts';
import { quote } from './escape.ts';
import { flow, listed } from './flow.ts';
import type { Line } from './screen.ts';
import { span } from './span.ts';

const INDENT = 10;

/** One grant: which it is and how far it goes. */
export function grantLines(grant: GrantRow, now: number, room: number): readonly Line[] {
  const { id, kind, principal, capability, expires_at, operations_left, reason, granted_by } = grant;
  const pieces = [
    `for ${principal}`,
    ...boundWords(grant),
    `ends in ${span(expires_at - now)}`,
    operations_left === undefined ? 'as often as it likes' : `${operations_left} times more`,
    kind === 'session' ? 'for this session' : '',
    `by ${granted_by}`,
    reason === '' ? '' : `because ${quote(reason)}`,
  ];
  const given = listed(pieces.filter((piece) => piece !== ''));
  const [first = '', ...others] = flow(given, { room, taken: INDENT, indent: INDENT });
  return [[{ text: shortId(id), style: 'bold' }, `  ${capability}`], ' '.repeat(INDENT) + first, ...others];
}

/** Access, target and parameters, as far as they bound. */
export function boundWords({
  access,
  target,
  params = {},
}: Pick<GrantBounds, 'access' | 'target' | 'params'> | GrantRow): readonly string[] {
  return [
    access === 'read' ? 'to read' : 'to read and write',
    target === undefined ? 'whatever the target' : `on ${quote(target)}`,
    ...Object.entries(params).map(([pointer, glob]) => `where ${pointer} is ${quote(glob)}`),
  ];
}
