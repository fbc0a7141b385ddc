// SPDX-License-Identifier: Apache-2.0

import { VERSION } from '../../version.ts';
import { parseArguments } from './arguments.ts';
import type { Command } from './command.ts';
import { EXIT, type ExitCode } from './exit.ts';
import { report } from './failure.ts';
import { findCommand } from './find-command.ts';
import { description, exitTable, helpFor, overview } from './help.ts';
import { Screen } from './screen.ts';
import { COMMANDS } from './table.ts';

/** Runs one command line; never throws. */
async function main(args: readonly string[], env: NodeJS.ProcessEnv): Promise<ExitCode> {
  const own = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  const screen = new Screen(own.includes('--json'), process.stdout, process.stderr);
  try {
    return await run(args, screen, env);
  } catch (error) {
    return report(error, screen);
  }
}

async function run(args: readonly string[], screen: Screen, env: NodeJS.ProcessEnv): Promise<ExitCode> {
  const [first, ...others] = args;
  if (first === '--version') {
    screen.result({ version: VERSION }, () => [`portalctl ${VERSION}`]);
    return EXIT.ok;
  }
  if (first === undefined) {
    for (const line of overview(COMMANDS)) screen.note(line);
    return EXIT.usage;
  }
  if (first === 'help' && others.length > 0) return await run([...others, '--help'], screen, env);
  if (first === 'help' || isHelp(first)) return showOverview(COMMANDS, screen);
  if (first === '--json') return await run(others, screen, env);
  const group = COMMANDS.filter(({ name }) => name.startsWith(`${first} `));
  if (group.length > 0 && isHelp(others[0])) return showOverview(group, screen);
  const { command, args: rest } = findCommand(COMMANDS, args);
  const { operands, rest: passedOn, options } = parseArguments(command, rest);
  if (options.on('help')) {
    screen.result(description(command), () => helpFor(command));
    return EXIT.ok;
  }
  const module = await command.load();
  const [operand = ''] = operands;
  return await module.run({ operand, operands, rest: passedOn, options, screen, env });
}

function isHelp(word: string | undefined): boolean {
  return word === '--help' || word === '-h';
}

function showOverview(commands: readonly Command[], screen: Screen): ExitCode {
  screen.result({ commands: commands.map(description), exit_codes: exitTable() }, () => overview(commands));
  return EXIT.ok;
}

process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  // The reader of a pipe has seen enough, as `head` does.
  process.exit(code === 'EPIPE' ? EXIT.ok : EXIT.fault);
});
// A terminal that was closed takes no more words; what is under way must still end in order.
process.stderr.on('error', () => undefined);
process.exitCode = await main(process.argv.slice(2), process.env);
