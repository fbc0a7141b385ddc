// SPDX-License-Identifier: Apache-2.0
import type { Command, OperandSpec, OptionSpec } from '../command.ts';

const group = 'to ask for things';

const CAPABILITY: OperandSpec = { name: 'CAPABILITY' };
const PARAMETERS: Readonly<Record<string, OptionSpec>> = {
  params: { value: 'JSON', summary: 'all parameters as one JSON object, `-` to read it from standard input' },
  param: {
    value: 'KEY=TEXT',
    summary: 'one parameter; KEY:=JSON for a number, a boolean, a list',
    repeats: true,
  },
  version: { value: 'M.m', summary: 'which version, where there are several' },
};
const WAIT: OptionSpec = { summary: 'wait until it is decided and done; Ctrl-C cancels' };

export const INTENTS: readonly Command[] = [
  {
    name: 'list',
    group,
    summary: 'show the capabilities that you may ask for',
    options: {
      app: { value: 'ID', summary: 'only those of this app' },
      category: { value: 'CATEGORY', summary: 'only these, for example FILE_OPERATION' },
      'side-effects': {
        value: 'KIND',
        summary: 'only these',
        completes: ['none', 'read', 'write', 'destructive', 'network', 'system'],
      },
      text: { value: 'WORDS', summary: 'only those that mention it, best first' },
      full: { summary: 'with the schemas of parameters and results' },
    },
    examples: [
      { command: 'portalctl list', does: 'show what there is' },
      {
        command: 'portalctl list --app org.example.Notes --full',
        does: 'show how to call what one app offers',
      },
    ],
    load: () => import('../commands/list.ts'),
  },
  {
    name: 'explain',
    group,
    summary: 'show what would happen, without doing it',
    operand: CAPABILITY,
    options: PARAMETERS,
    examples: [
      {
        command: 'portalctl explain notes.org.example.notes.delete --param name=todo.md',
        does: 'would this ask somebody?',
      },
    ],
    load: () => import('../commands/explain.ts'),
  },
  {
    name: 'self-model',
    group,
    summary: 'show what you may do, and what became of what you did',
    details: [
      'True at this moment. Who you are is for the broker to say: the same command of another principal shows something else.',
    ],
    options: {},
    examples: [{ command: 'portalctl self-model', does: 'what may I do?' }],
    load: () => import('../commands/self-model.ts'),
  },
  {
    name: 'dispatch',
    group,
    summary: 'ask for a capability to be run',
    details: [
      'Where a person has to decide, they have ten seconds unless you add --wait; then the request is withdrawn and nothing runs (exit code 5). A request never outlives the command that made it.',
    ],
    operand: CAPABILITY,
    options: {
      ...PARAMETERS,
      reason: { value: 'TEXT', summary: 'why; the person who decides reads it as your word' },
      wait: WAIT,
    },
    examples: [
      { command: 'portalctl dispatch notes.org.example.notes.list', does: 'run something that only reads' },
      {
        command:
          'portalctl dispatch notes.org.example.notes.delete --param name=todo.md --reason "it is done" --wait',
        does: 'run something that a person confirms',
      },
      {
        command: `portalctl dispatch notes.org.example.notes.search --params '{"query":"milk","limit":5}' --json`,
        does: 'from a program',
      },
    ],
    load: () => import('../commands/dispatch.ts'),
  },
  {
    name: 'undo',
    group,
    summary: 'take back what was done, while its window is open',
    details: [
      'You undo as the person at the desk, whoever asked for it, so you are not asked whether you mean it.',
    ],
    operand: { name: 'INVOCATION' },
    options: { wait: WAIT },
    examples: [{ command: 'portalctl undo INVOCATION', does: 'undo it, once, as `dispatch` showed it' }],
    load: () => import('../commands/undo.ts'),
  },
];
