// SPDX-License-Identifier: Apache-2.0
import { parseArgs } from 'node:util';
import { type Command, EVERYWHERE, type OptionSpec, type Options } from './command.ts';
import { CliError } from './error.ts';
import { suggest } from './suggest.ts';

export interface Parsed {
  readonly operands: readonly string[];
  readonly rest: readonly string[];
  readonly options: Options;
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

type Specs = Readonly<Record<string, OptionSpec>>;

/**
 * Reads the arguments behind a command's name. Nothing is guessed: an unknown option, a value where none belongs, a
 * missing one, an option given twice, or too many or too few operands each throws with the way out.
 */
export function parseArguments(command: Command, args: readonly string[]): Parsed {
  const specs: Specs = { ...command.options, ...EVERYWHERE };
  const tokens = tokenize(specs, args);
  const end = tokens.find(({ kind }) => kind === 'option-terminator')?.index ?? args.length;
  const given = new Map<string, string[]>();
  const operands: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'option') {
      const spec = knownOption(command, specs, token);
      const values = given.get(token.name) ?? [];
      if (values.length > 0 && !spec.repeats) throw bad(command, `\`${token.rawName}\` is given twice`);
      given.set(token.name, [...values, checkedValue(command, spec, token)]);
    } else if (token.kind === 'positional' && token.index < end) operands.push(token.value);
  }
  const rest = args.slice(end + 1);
  if (!given.has('help')) checkOperands(command, operands, rest);
  return { operands, rest, options: new GivenOptions(specs, given) };
}

function tokenize(specs: Specs, args: readonly string[]) {
  const options = Object.entries(specs).map(([name, { value }]) => [
    name,
    { type: value === undefined ? 'boolean' : 'string', ...(name === 'help' && { short: 'h' }) } as const,
  ]);
  // Not `strict`: its messages name neither the command nor the option that was meant.
  return parseArgs({
    args: [...args],
    options: Object.fromEntries(options),
    strict: false,
    allowPositionals: true,
    tokens: true,
  }).tokens;
}

function knownOption(command: Command, specs: Specs, token: OptionToken): OptionSpec {
  const spec = Object.hasOwn(specs, token.name) ? specs[token.name] : undefined;
  if (spec !== undefined) return spec;
  const meant = suggest(token.name, Object.keys(specs));
  throw new CliError(
    'UnknownOption',
    `\`${command.name}\` has no option \`${token.rawName}\``,
    meant === undefined ? help(command) : `did you mean \`--${meant}\`? ${help(command)}`,
  );
}

/** The value, or the empty text of a switch. */
function checkedValue(command: Command, spec: OptionSpec, token: OptionToken): string {
  if (spec.value === undefined) {
    if (token.value !== undefined) throw bad(command, `\`${token.rawName}\` takes no value`);
    return '';
  }
  if (token.value === undefined || (token.inlineValue === false && token.value.startsWith('--'))) {
    throw bad(command, `\`${token.rawName}\` needs a value, \`${token.rawName}=${spec.value}\``);
  }
  return token.value;
}

function checkOperands(command: Command, operands: readonly string[], rest: readonly string[]): void {
  const { operand } = command;
  if (operand !== undefined && !operand.optional && operands.length === 0) {
    throw bad(command, `\`${command.name}\` needs ${operand.name}`, 'BadOperand');
  }
  if (command.passthrough !== undefined && rest.length === 0) {
    throw bad(command, `\`${command.name}\` needs \`-- ${command.passthrough}\``, 'BadOperand');
  }
  const most = operand === undefined ? 0 : operand.repeats ? operands.length : 1;
  const extra = operands[most] ?? (command.passthrough === undefined ? rest[0] : undefined);
  if (extra !== undefined) throw bad(command, `\`${extra}\` is one argument too many`, 'BadOperand');
}

function bad(command: Command, message: string, code: 'BadOption' | 'BadOperand' = 'BadOption'): CliError {
  return new CliError(code, message, help(command));
}

function help(command: Command): string {
  return `see \`portalctl ${command.name} --help\``;
}

class GivenOptions implements Options {
  readonly #specs: Specs;
  readonly #given: ReadonlyMap<string, readonly string[]>;

  constructor(specs: Specs, given: ReadonlyMap<string, readonly string[]>) {
    this.#specs = specs;
    this.#given = given;
  }

  on(name: string): boolean {
    return this.#of(name).length > 0;
  }

  text(name: string): string | undefined {
    return this.#of(name)[0];
  }

  texts(name: string): readonly string[] {
    return this.#of(name);
  }

  #of(name: string): readonly string[] {
    if (!Object.hasOwn(this.#specs, name)) throw new TypeError(`the table lists no option \`${name}\``);
    return this.#given.get(name) ?? [];
  }
}
