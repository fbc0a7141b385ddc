// SPDX-License-Identifier: Apache-2.0
import type { NewRule, RuleRow } from '../../client.ts';
import { SHORT_ID } from './by-id.ts';
import { quote } from './escape.ts';
import { flow } from './flow.ts';
import type { Line, Style } from './screen.ts';

const STYLE: Readonly<Record<string, Style>> = { ALLOW: 'green', ASK: 'yellow', DENY: 'red' };
const INDENT = 7;

/** One rule: its id, what it does, to what, and how specific it is. */
export function ruleLines(rule: RuleRow, room: number): readonly Line[] {
  const { id, effect, specificity, reason } = rule;
  const style = STYLE[effect];
  const shown = effect.padEnd(INDENT - 2);
  const pieces = [...whatWords(rule), `because ${quote(reason)}`, `(specificity ${specificity})`];
  const [first = '', ...others] = flow(
    pieces.map((piece) => `${piece} `),
    { room, taken: INDENT, indent: INDENT },
  );
  return [
    [style === undefined ? shown : { text: shown, style }, `  ${shownRuleId(id)}`],
    ' '.repeat(INDENT) + first,
    ...others,
  ];
}

/** To whom and what a rule applies, in pieces. */
function whatWords({ scope, capability, app, target, action, hours }: NewRule): readonly string[] {
  const what = app === undefined ? anyOr(capability, 'any capability') : `anything of ${app}`;
  return [
    what,
    ...(action === undefined ? [] : [`that is ${ACTIONS.get(action) ?? action}`]),
    `for ${scope === undefined || scope === 'global' ? 'everybody' : scope}`,
    ...(target === undefined ? [] : [`on ${quote(target)}`]),
    ...(hours === undefined ? [] : [`from ${hours.from} to ${hours.to} o'clock`]),
  ];
}

const ACTIONS: ReadonlyMap<string, string> = new Map([
  ['read', 'a read'],
  ['write', 'a write'],
  ['destructive', 'destructive'],
  ['external', 'external'],
  ['system', 'a change of the system'],
]);

function anyOr(capability: string | undefined, any: string): string {
  return capability === undefined || capability === '*' ? any : capability;
}

/** Ids of files say where they are and are shown whole; others are long numbers. */
export function shownRuleId(id: string): string {
  return id.includes(':') ? id : id.slice(0, SHORT_ID);
}
