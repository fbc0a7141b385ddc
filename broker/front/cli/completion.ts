// SPDX-License-Identifier: Apache-2.0

import type { Command } from './command.ts';
import { bash } from './completion/bash.ts';
import { fish } from './completion/fish.ts';
import { completionRow, type Row } from './completion/row.ts';
import { zsh } from './completion/zsh.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

const SCRIPTS: Record<Shell, (table: readonly Row[]) => readonly string[]> = { bash, zsh, fish };

/** The lines of a completion script for `shell`, made from the table alone: it starts no process at every key press. */
export function completionScript(shell: Shell, commands: readonly Command[]): readonly string[] {
  return SCRIPTS[shell](commands.map(completionRow));
}
