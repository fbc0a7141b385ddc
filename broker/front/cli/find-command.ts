// SPDX-License-Identifier: Apache-2.0
import type { Command } from './command.ts';
import { CliError } from './error.ts';
import { suggest } from './suggest.ts';

/**
 * The command that `args` starts with, and what follows its name. Throws `UnknownCommand`, with the nearest name or, for the
 * first word of a two-word command, what may follow it.
 */
export function findCommand(
  commands: readonly Command[],
  args: readonly string[],
): { command: Command; args: readonly string[] } {
  const [first = '', second = ''] = args;
  const two = commands.find(({ name }) => name === `${first} ${second}`);
  if (two !== undefined) return { command: two, args: args.slice(2) };
  const one = commands.find(({ name }) => name === first);
  if (one !== undefined) return { command: one, args: args.slice(1) };
  throw unknown(commands, first, second);
}

function unknown(commands: readonly Command[], first: string, second: string): CliError {
  const seconds = commands
    .map(({ name }) => name.split(' '))
    .flatMap(([a, b]) => (a === first && b !== undefined ? [b] : []));
  if (seconds.length === 0) {
    const meant = suggest(first, [
      ...new Set(commands.flatMap(({ name }) => [name, name.split(' ')[0] ?? ''])),
    ]);
    return new CliError('UnknownCommand', `there is no command \`${first}\``, didYouMean(meant));
  }
  if (second === '' || second.startsWith('-')) {
    return new CliError(
      'UnknownCommand',
      `\`${first}\` needs a second word: ${seconds.join(', ')}`,
      didYouMean(undefined),
    );
  }
  const meant = suggest(second, seconds);
  return new CliError(
    'UnknownCommand',
    `there is no command \`${first} ${second}\``,
    didYouMean(meant === undefined ? undefined : `${first} ${meant}`),
  );
}

function didYouMean(meant: string | undefined): string {
  const all = '`portalctl --help` lists them all';
  return meant === undefined ? all : `did you mean \`${meant}\`? ${all}`;
}
