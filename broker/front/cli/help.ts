// SPDX-License-Identifier: Apache-2.0
import { type Command, EVERYWHERE, type OperandSpec, type OptionSpec } from './command.ts';
import { EXIT_MEANINGS } from './exit.ts';
import type { Line } from './screen.ts';

const WIDTH = 80;

/** `portalctl --help`. */
export function overview(commands: readonly Command[]): readonly Line[] {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const groups = [...new Set(commands.map(({ group }) => group))];
  return [
    'portalctl: signed app capabilities, one path to run them, a person who decides',
    '',
    'usage: portalctl COMMAND [options]',
    ...groups.flatMap((group) => [
      '',
      heading(group),
      ...commands
        .filter((command) => command.group === group)
        .map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    ]),
    '',
    heading('every command'),
    '  --help   what it does, its options, examples',
    '  --json   one JSON document on standard output, for programs',
    '',
    ...exitCodes(),
    '',
    'Colour appears on a terminal only and never with NO_COLOR set.',
    'The broker is looked for on the session bus (DBUS_SESSION_BUS_ADDRESS).',
  ];
}

/** `portalctl COMMAND --help`. */
export function helpFor(command: Command): readonly Line[] {
  return [
    `portalctl ${command.name}: ${command.summary}`,
    '',
    `usage: ${usage(command)}`,
    ...(command.details ?? []).flatMap((paragraph) => ['', ...wrapped(paragraph)]),
    '',
    heading('options'),
    ...optionLines({ ...command.options, ...EVERYWHERE }),
    '',
    heading('examples'),
    ...command.examples.flatMap(({ command: typed, does }) => [`  ${does}`, `    ${typed}`]),
    '',
    ...exitCodes(),
  ];
}

/** A command as `--help --json` shows it. */
export function description(command: Command): object {
  const { name, summary, details = [], options, examples } = command;
  return {
    name,
    summary,
    usage: usage(command),
    details,
    options: { ...options, ...EVERYWHERE },
    examples,
  };
}

/** The exit codes for programs. */
export function exitTable(): Readonly<Record<string, string>> {
  return Object.fromEntries(EXIT_MEANINGS.map(([code, meaning]) => [String(code), meaning]));
}

/** The usage line, made from the operands so that it cannot disagree with what is accepted. */
export function usage(command: Command): string {
  const operands = command.operand === undefined ? [] : [operandForm(command.operand)];
  const options = Object.keys(command.options).length === 0 ? [] : ['[options]'];
  const rest = command.passthrough === undefined ? [] : ['--', command.passthrough];
  return ['portalctl', command.name, ...operands, ...options, ...rest].join(' ');
}

function operandForm({ name, optional, repeats }: OperandSpec): string {
  const form = repeats ? `${name}...` : name;
  return optional ? `[${form}]` : form;
}

function optionLines(options: Readonly<Record<string, OptionSpec>>): readonly string[] {
  const rows = Object.entries(options).map(([name, { value, summary, repeats }]) => ({
    left: value === undefined ? `--${name}` : `--${name} ${value}`,
    right: repeats ? `${summary} (may be repeated)` : summary,
  }));
  const width = Math.max(...rows.map(({ left }) => left.length));
  return rows.map(({ left, right }) => `  ${left.padEnd(width)}  ${right}`);
}

function exitCodes(): readonly Line[] {
  return [
    heading('exit codes'),
    ...EXIT_MEANINGS.map(([code, meaning]) => `  ${String(code).padEnd(4)} ${meaning}`),
  ];
}

function heading(text: string): Line {
  return [{ text, style: 'bold' }];
}

function wrapped(paragraph: string): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of paragraph.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
