// SPDX-License-Identifier: Apache-2.0
import type { ExitCode } from './exit.ts';
import type { Screen } from './screen.ts';

/** What a shell may offer in a value's place. */
export type Completes = 'file' | 'directory' | readonly string[];

export interface OptionSpec {
  readonly summary: string;
  /** The placeholder of its value; an option without one is a switch. */
  readonly value?: string;
  readonly repeats?: true;
  readonly completes?: Completes;
}

export interface OperandSpec {
  readonly name: string;
  readonly completes?: Completes;
  /** The command makes sense without it. */
  readonly optional?: true;
  /** There may be several. */
  readonly repeats?: true;
}

export interface Example {
  readonly command: string;
  readonly does: string;
}

/** One row of the table from which parsing, help and completion are made. */
export interface Command {
  /** One or two words, as typed. */
  readonly name: string;
  readonly group: string;
  readonly summary: string;
  /** More than the summary says, one paragraph a string. */
  readonly details?: readonly string[];
  readonly operand?: OperandSpec;
  /** Set when everything after `--` belongs to another program; the placeholder for it. */
  readonly passthrough?: string;
  readonly options: Readonly<Record<string, OptionSpec>>;
  readonly examples: readonly Example[];
  /** Loads the code on demand, so that help and completion stay quick. */
  readonly load: () => Promise<CommandModule>;
}

export interface CommandModule {
  readonly run: (invocation: Invocation) => Promise<ExitCode>;
}

/** A command line that was understood. */
export interface Invocation {
  /** The first operand; empty where none was given. */
  readonly operand: string;
  /** All of them, for a command that takes several. */
  readonly operands: readonly string[];
  /** What followed `--`. */
  readonly rest: readonly string[];
  readonly options: Options;
  readonly screen: Screen;
  readonly env: NodeJS.ProcessEnv;
}

/** Options by name; asking for one that the table does not list is a programming error and throws. */
export interface Options {
  on(name: string): boolean;
  text(name: string): string | undefined;
  texts(name: string): readonly string[];
}

/** Options that every command takes. */
export const EVERYWHERE: Readonly<Record<string, OptionSpec>> = {
  json: { summary: 'one JSON document on standard output, for programs' },
  help: { summary: 'show this help' },
};
