// SPDX-License-Identifier: Apache-2.0
import type { Command, OperandSpec, OptionSpec } from '../command.ts';

const group = 'for the person: what waits, what is granted';

const ID: OperandSpec = { name: 'ID' };
const NOTE: OptionSpec = { value: 'TEXT', summary: 'your words to the caller' };
const DIGEST: OptionSpec = {
  value: 'DIGEST',
  summary: 'do not ask: this is the digest of exactly what you have read',
};
const ASKS =
  'Shows all of it and asks in this terminal; only the word `allow` is a yes. Without a terminal name the digest of what was read, as `approvals show` prints it.';

export const APPROVALS: readonly Command[] = [
  {
    name: 'approvals list',
    group,
    summary: 'show what waits for you to decide',
    options: { ended: { summary: 'with what ended within the last hour, and how' } },
    examples: [
      { command: 'portalctl approvals list', does: 'what waits?' },
      { command: 'portalctl approvals list --ended', does: 'and what became of the others?' },
    ],
    load: () => import('../commands/approvals-list.ts'),
  },
  {
    name: 'approvals show',
    group,
    summary: 'show all of one question',
    operand: ID,
    options: {},
    examples: [{ command: 'portalctl approvals show 3f2a9c1e', does: 'read what would run, and its digest' }],
    load: () => import('../commands/approvals-show.ts'),
  },
  {
    name: 'approvals approve',
    group,
    summary: 'let what waits run, once',
    details: [ASKS, 'The broker may ask you to authenticate.'],
    operand: ID,
    options: {
      session: { summary: 'and the same on the same target, for this caller, for a while' },
      minutes: { value: 'N', summary: 'how long that is, 1 to 480 (default: 60)' },
      note: NOTE,
      digest: DIGEST,
    },
    examples: [
      { command: 'portalctl approvals approve 3f2a9c1e', does: 'read it and decide' },
      {
        command: 'portalctl approvals approve 3f2a9c1e --session --minutes 20',
        does: 'and do not ask about the same for twenty minutes',
      },
    ],
    load: () => import('../commands/approvals-approve.ts'),
  },
  {
    name: 'approvals modify',
    group,
    summary: 'change the parameters of what waits, then let it run',
    details: [
      'Opens the parameters in $VISUAL or $EDITOR, unless --params gives them. What was asked for can never run then; the target has to stay the same.',
      ASKS,
    ],
    operand: ID,
    options: {
      params: { value: 'JSON', summary: 'all parameters as one JSON object, `-` for standard input' },
      note: NOTE,
      digest: DIGEST,
    },
    examples: [{ command: 'portalctl approvals modify 3f2a9c1e', does: 'change it in your editor' }],
    load: () => import('../commands/approvals-modify.ts'),
  },
  {
    name: 'approvals deny',
    group,
    summary: 'let what waits not run',
    operand: ID,
    options: {
      note: NOTE,
      session: { summary: 'and deny the same on the same target until its connection ends' },
    },
    examples: [
      {
        command: 'portalctl approvals deny 3f2a9c1e --note "not before Friday"',
        does: 'deny it, and say why',
      },
    ],
    load: () => import('../commands/approvals-deny.ts'),
  },
  {
    name: 'approvals later',
    group,
    summary: 'take it off the screen and decide later',
    operand: ID,
    options: {},
    examples: [{ command: 'portalctl approvals later 3f2a9c1e', does: 'keep it in the list' }],
    load: () => import('../commands/approvals-later.ts'),
  },
  {
    name: 'approvals extend',
    group,
    summary: 'give yourself more time for it',
    operand: ID,
    options: {},
    examples: [{ command: 'portalctl approvals extend 3f2a9c1e', does: 'as much time again' }],
    load: () => import('../commands/approvals-extend.ts'),
  },
  {
    name: 'approvals watch',
    group,
    summary: 'go on showing what waits and who acts, until Ctrl-C',
    details: [
      'While it runs it counts as a place where you are asked: questions wait here for their time instead of being refused at once. Decide them with `approvals approve` in another terminal.',
    ],
    options: {},
    examples: [{ command: 'portalctl approvals watch', does: 'watch it happen' }],
    load: () => import('../commands/approvals-watch.ts'),
  },
];
