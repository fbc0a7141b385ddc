// SPDX-License-Identifier: Apache-2.0
import { createInterface } from 'node:readline';
import { DBusError } from '../../../dbus/error.ts';
import { fromLine, toLine } from '../bus-json.ts';

/** Tells the test that something happened. Written at once: it is out before whatever this process does next. */
export type Tell = (what: string, value: unknown) => void;

/** Carries out one command of the test and resolves with what it is to know. */
export type Command = (args: Readonly<Record<string, unknown>>) => Promise<unknown>;

interface Order {
  readonly id: number;
  readonly do: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export const tell: Tell = (what, value) => write({ tell: what, value });

/** Obeys the lines on standard input until it ends, which ends this process: no test can leave one behind. */
export function obey(commands: Readonly<Record<string, Command>>): void {
  const lines = createInterface({ input: process.stdin });
  lines.on('line', (line) => void answer(fromLine(line) as Order, commands));
  lines.on('close', () => process.exit(0));
  write({ tell: 'started', value: process.pid });
}

async function answer(
  { id, do: name, args }: Order,
  commands: Readonly<Record<string, Command>>,
): Promise<void> {
  try {
    const command = commands[name];
    if (command === undefined) throw new Error(`there is no command ${name}`);
    write({ id, value: (await command(args)) ?? null });
  } catch (error) {
    write({ id, error: describe(error) });
  }
}

/** The wire name of an error counts as its code where it has one. */
function describe(error: unknown): { code: string; message: string } {
  if (!(error instanceof Error)) return { code: 'unknown', message: String(error) };
  const code = error instanceof DBusError || !('code' in error) ? error.name : String(error.code);
  return { code, message: error.message };
}

function write(value: unknown): void {
  process.stdout.write(`${toLine(value)}\n`);
}
