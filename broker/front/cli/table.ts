// SPDX-License-Identifier: Apache-2.0
import type { Command } from './command.ts';
import { APPROVALS } from './table/approvals.ts';
import { DEVELOPER } from './table/developer.ts';
import { GRANTS } from './table/grants.ts';
import { INTENTS } from './table/intents.ts';
import { PERSON } from './table/person.ts';
import { POLICY } from './table/policy.ts';
import { SHELL } from './table/shell.ts';

/** Every command, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  ...DEVELOPER,
  ...INTENTS,
  ...PERSON,
  ...APPROVALS,
  ...GRANTS,
  ...POLICY,
  ...SHELL,
];
