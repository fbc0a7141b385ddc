// SPDX-License-Identifier: Apache-2.0
import type { Command, OptionSpec } from '../command.ts';

const group = 'for the policy';

const AS_USER: OptionSpec = { summary: "as files of a user's own directory, which may only tighten" };
const FILTERS: Readonly<Record<string, OptionSpec>> = {
  principal: { value: 'WHO', summary: 'only this principal' },
  capability: { value: 'ID', summary: 'only this capability' },
  app: { value: 'ID', summary: 'only capabilities of this app' },
};

export const POLICY: readonly Command[] = [
  {
    name: 'policy list',
    group,
    summary: 'show the rules that hold, and the files they are from',
    options: {},
    examples: [{ command: 'portalctl policy list', does: 'which rules are there, and was a file refused?' }],
    load: () => import('../commands/policy-list.ts'),
  },
  {
    name: 'policy check',
    group,
    summary: 'check policy files before they are installed',
    details: [
      'Reads each file as the broker would and says whether it would take it. If not, it names line, place and reason. Needs no broker.',
    ],
    operand: { name: 'FILE', completes: 'file', repeats: true },
    options: { user: AS_USER },
    examples: [{ command: 'portalctl policy check 10-office.json', does: 'would the broker take this?' }],
    load: () => import('../commands/policy-check.ts'),
  },
  {
    name: 'policy lint',
    group,
    summary: 'find rules that conflict, or that others make pointless',
    details: [
      'With files, of those together, without a broker; without, of the rules that hold. Each finding names the rule in the way and an example. Ends with 1 where there is one.',
    ],
    operand: { name: 'FILE', completes: 'file', repeats: true, optional: true },
    options: { user: AS_USER },
    examples: [
      { command: 'portalctl policy lint', does: 'is a rule that holds without effect?' },
      { command: 'portalctl policy lint *.json', does: 'the same of drafts' },
    ],
    load: () => import('../commands/policy-lint.ts'),
  },
  {
    name: 'policy matrix',
    group,
    summary: 'show who may do what right now',
    options: FILTERS,
    examples: [
      { command: 'portalctl policy matrix', does: 'every principal and every capability' },
      { command: 'portalctl policy matrix --app org.example.Notes', does: 'who may do what with one app?' },
    ],
    load: () => import('../commands/policy-matrix.ts'),
  },
  {
    name: 'policy explain',
    group,
    summary: 'show what would happen to a request of somebody, and why',
    details: [
      'As `portalctl explain`, for somebody else, with the stages, the rule that decides, those that matched too and what would change the outcome. Nothing is done or asked.',
    ],
    operand: { name: 'CAPABILITY' },
    options: {
      as: { value: 'PRINCIPAL', summary: 'who would ask; has to be connected' },
      params: { value: 'JSON', summary: 'all parameters as one JSON object, `-` for standard input' },
      param: { value: 'KEY=TEXT', summary: 'one parameter; KEY:=JSON for a number, a list', repeats: true },
      version: { value: 'M.m', summary: 'which version, where there are several' },
    },
    examples: [
      {
        command:
          'portalctl policy explain notes.org.example.notes.delete --as assistant --param name=todo.md',
        does: 'why is the assistant asked about this?',
      },
    ],
    load: () => import('../commands/policy-explain.ts'),
  },
  {
    name: 'policy simulate',
    group,
    summary: 'decide what was recorded again, under other rules',
    details: [
      "The file is a policy file, or a list of rules alone; its rules stand in place of the person's. Targets are not recorded: where one would matter, it depends. Nothing is done or asked.",
    ],
    operand: { name: 'FILE', completes: 'file' },
    options: {
      since: { value: 'TIME', summary: 'only records from then on, such as 2026-12-01T08:00' },
      until: { value: 'TIME', summary: 'only records from before then' },
      limit: { value: 'N', summary: 'the newest so many, at most 1000' },
    },
    examples: [{ command: 'portalctl policy simulate stricter.json', does: 'what would have been other?' }],
    load: () => import('../commands/policy-simulate.ts'),
  },
  {
    name: 'policy add',
    group,
    summary: "add a rule of the person's",
    details: [
      'An ALLOW widens: the broker asks you to authenticate. The most specific rule decides; of equal ones DENY before ASK before ALLOW. Nothing outranks what the administrator denies, locks or has confirmed.',
    ],
    operand: { name: 'FILE', completes: 'file', optional: true },
    options: {
      effect: { value: 'EFFECT', summary: 'ALLOW, ASK or DENY', completes: ['ALLOW', 'ASK', 'DENY'] },
      reason: { value: 'TEXT', summary: 'why, for whoever reads the rules' },
      scope: { value: 'WHO', summary: 'for this principal (default: for all)' },
      capability: { value: 'ID', summary: 'this capability (default: any)' },
      app: { value: 'ID', summary: 'every capability of this app' },
      target: { value: 'GLOB', summary: 'on these targets; * stays in a folder, ** does not' },
      action: {
        value: 'KIND',
        summary: 'only what is of this kind',
        completes: ['read', 'write', 'destructive', 'external', 'system'],
      },
      hours: { value: 'FROM-TO', summary: 'only in these local hours, such as 22-6' },
    },
    examples: [
      {
        command:
          'portalctl policy add --effect DENY --capability notes.org.example.notes.delete --hours 22-6 --reason "not at night"',
        does: 'nothing is deleted at night',
      },
      { command: 'portalctl policy add rule.json', does: 'a rule as JSON' },
    ],
    load: () => import('../commands/policy-add.ts'),
  },
  {
    name: 'policy remove',
    group,
    summary: "remove a rule of the person's",
    details: ['Removing one that denies or asks widens: the broker asks you to authenticate.'],
    operand: { name: 'ID' },
    options: {},
    examples: [{ command: 'portalctl policy remove 1b9d6bcd', does: 'remove it, as `policy list` names it' }],
    load: () => import('../commands/policy-remove.ts'),
  },
];
