// SPDX-License-Identifier: Apache-2.0
import type { Command } from '../command.ts';

export const SHELL: readonly Command[] = [
  {
    name: 'completion',
    group: 'for the shell',
    summary: 'print a completion script',
    operand: { name: 'SHELL', completes: ['bash', 'zsh', 'fish'] },
    options: {},
    examples: [
      { command: 'source <(portalctl completion bash)', does: 'complete in this bash' },
      {
        command: 'portalctl completion fish > ~/.config/fish/completions/portalctl.fish',
        does: 'complete in every fish',
      },
    ],
    load: () => import('../commands/completion.ts'),
  },
];
