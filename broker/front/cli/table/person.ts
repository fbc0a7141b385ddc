// SPDX-License-Identifier: Apache-2.0
import type { Command, OptionSpec } from '../command.ts';

const group = 'for the person at the desk';

const STORE: OptionSpec = {
  value: 'DIR',
  summary: "read the files of the broker's store, also when no broker runs",
  completes: 'directory',
};
const FILTERS: Readonly<Record<string, OptionSpec>> = {
  limit: { value: 'N', summary: 'at most this many, the newest' },
  invocation: { value: 'INVOCATION', summary: 'only the events of this request' },
  principal: { value: 'WHO', summary: 'only what this principal did' },
  store: STORE,
};

export const PERSON: readonly Command[] = [
  {
    name: 'confirm',
    group,
    summary: 'be asked in this terminal, and decide',
    details: [
      'Shows each question in full, with the words that can be typed, and waits. Only the whole word `allow`, typed after the question has armed, lets it run, once; each part of a question is decided by itself, and what destroys among several takes `allow destructive`. Enter, Ctrl-C, the end of input, anything else and the deadline deny. `change` opens the parameters in $VISUAL or $EDITOR.',
      'A confirmer that belongs to the desktop takes precedence. This one needs a terminal: a pipe must not decide.',
    ],
    options: {},
    examples: [{ command: 'portalctl confirm', does: 'answer questions until Ctrl-C' }],
    load: () => import('../commands/confirm.ts'),
  },
  {
    name: 'suspend',
    group,
    summary: 'stop one principal, or all, at once',
    details: [
      'What it waits for is withdrawn, what runs for it is cancelled, and what it asks for is denied until `portalctl resume`, also over a restart of the broker. Without a name it shows who is suspended.',
    ],
    operand: { name: 'PRINCIPAL', optional: true },
    options: {
      all: { summary: 'everybody' },
      minutes: { value: 'N', summary: 'for so long (default: until resumed)' },
    },
    examples: [
      { command: 'portalctl suspend --all', does: 'stop everything' },
      { command: 'portalctl suspend assistant --minutes 30', does: 'stop one of them for half an hour' },
      { command: 'portalctl suspend', does: 'who is suspended?' },
    ],
    load: () => import('../commands/suspend.ts'),
  },
  {
    name: 'resume',
    group,
    summary: 'end a suspension',
    details: ['The broker asks you to authenticate.'],
    operand: { name: 'PRINCIPAL', optional: true },
    options: { all: { summary: 'what was suspended with `suspend --all`' } },
    examples: [{ command: 'portalctl resume assistant', does: 'let it ask again' }],
    load: () => import('../commands/resume.ts'),
  },
  {
    name: 'apps',
    group,
    summary: 'show the apps that are connected or were refused, and why',
    options: {},
    examples: [{ command: 'portalctl apps', does: 'which tier is each app on, and how well is it known?' }],
    load: () => import('../commands/apps.ts'),
  },
  {
    name: 'audit tail',
    group,
    summary: 'show the latest records',
    options: { ...FILTERS, follow: { summary: 'go on showing new ones until Ctrl-C' } },
    examples: [
      { command: 'portalctl audit tail --limit 20', does: 'what happened last?' },
      { command: 'portalctl audit tail --follow', does: 'watch it happen' },
    ],
    load: () => import('../commands/audit-tail.ts'),
  },
  {
    name: 'audit verify',
    group,
    summary: 'check that no record was changed or removed',
    options: { store: STORE },
    examples: [{ command: 'portalctl audit verify', does: 'check the whole chain' }],
    load: () => import('../commands/audit-verify.ts'),
  },
  {
    name: 'audit export',
    group,
    summary: 'write the records as JSON Lines',
    options: FILTERS,
    examples: [{ command: 'portalctl audit export > audit.jsonl', does: 'keep a copy' }],
    load: () => import('../commands/audit-export.ts'),
  },
  {
    name: 'audit stats',
    group,
    summary: 'count how requests ended, by principal and capability',
    options: FILTERS,
    examples: [{ command: 'portalctl audit stats', does: 'who asks for things that do not exist?' }],
    load: () => import('../commands/audit-stats.ts'),
  },
];
