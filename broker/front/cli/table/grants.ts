// SPDX-License-Identifier: Apache-2.0
import type { Command, OperandSpec, OptionSpec } from '../command.ts';

const group = 'for the person: what waits, what is granted';

const ID: OperandSpec = { name: 'ID' };
const BOUNDS: Readonly<Record<string, OptionSpec>> = {
  target: { value: 'GLOB', summary: 'on these targets; * stays in a folder, ** does not' },
  param: {
    value: '/KEY=GLOB',
    summary: 'only where the parameter at this JSON pointer matches',
    repeats: true,
  },
  access: { value: 'KIND', summary: 'read or write', completes: ['read', 'write'] },
  minutes: { value: 'N', summary: 'for how long, at most 10080: a week' },
  operations: { value: 'N', summary: 'how often, at most 10000' },
};

export const GRANTS: readonly Command[] = [
  {
    name: 'grants list',
    group,
    summary: 'show what runs without asking you, and for how long',
    options: {},
    examples: [{ command: 'portalctl grants list', does: 'what is granted?' }],
    load: () => import('../commands/grants-list.ts'),
  },
  {
    name: 'grants add',
    group,
    summary: 'let something run for a while without asking you',
    details: [
      'It answers in your place where policy asks, and nowhere else: never over a denial, a lock or what is confirmed each time. The broker asks you to authenticate.',
    ],
    options: {
      principal: { value: 'WHO', summary: 'for whom' },
      capability: { value: 'ID', summary: 'which capability' },
      ...BOUNDS,
      reason: { value: 'TEXT', summary: 'why, for whoever looks back' },
    },
    examples: [
      {
        command:
          'portalctl grants add --principal assistant --capability notes.org.example.notes.append --access write --target "draft-*" --minutes 60 --operations 20 --reason "drafting"',
        does: 'twenty writes to drafts within the hour',
      },
    ],
    load: () => import('../commands/grants-add.ts'),
  },
  {
    name: 'grants narrow',
    group,
    summary: 'make a grant smaller',
    operand: ID,
    options: BOUNDS,
    examples: [
      { command: 'portalctl grants narrow 6ec0bd7f --operations 1', does: 'once more, and no more' },
    ],
    load: () => import('../commands/grants-narrow.ts'),
  },
  {
    name: 'grants revoke',
    group,
    summary: 'end a grant at once',
    operand: ID,
    options: {},
    examples: [{ command: 'portalctl grants revoke 6ec0bd7f', does: 'it asks again from now on' }],
    load: () => import('../commands/grants-revoke.ts'),
  },
  {
    name: 'requests list',
    group,
    summary: 'show what intelligences ask to be granted, and why',
    options: {},
    examples: [{ command: 'portalctl requests list', does: 'who would like to do what?' }],
    load: () => import('../commands/requests-list.ts'),
  },
  {
    name: 'requests grant',
    group,
    summary: 'grant what is asked for, or less of it',
    details: [
      'Shows the request and asks in this terminal; only the word `allow` is a yes. The broker asks you to authenticate.',
    ],
    operand: ID,
    options: { ...BOUNDS, yes: { summary: 'do not ask; takes the whole id of what you have read' } },
    examples: [
      {
        command: 'portalctl requests grant 9a7c1e02 --operations 5',
        does: 'grant it for five times at most',
      },
    ],
    load: () => import('../commands/requests-grant.ts'),
  },
  {
    name: 'requests deny',
    group,
    summary: 'refuse what is asked for',
    operand: ID,
    options: { note: { value: 'TEXT', summary: 'your words to the one that asks' } },
    examples: [{ command: 'portalctl requests deny 9a7c1e02 --note "ask each time"', does: 'refuse it' }],
    load: () => import('../commands/requests-deny.ts'),
  },
];
