// SPDX-License-Identifier: Apache-2.0
import { Keyboard } from './confirm/keyboard.ts';
import { CliError } from './error.ts';
import type { Screen } from './screen.ts';

/** Throws `NotATerminal` where nobody can be shown something and answer: a pipe must not decide. */
export function requireTerminal(remedy: string): void {
  if (process.stdin.isTTY && process.stderr.isTTY) return;
  throw new CliError(
    'NotATerminal',
    'this is only decided at a terminal, and standard input and error are none',
    remedy,
  );
}

/**
 * Asks the person at this terminal. Only the whole word `allow` is a yes; whatever was typed before the question stood is
 * gone.
 * @param deed what a yes does, after "to"
 */
export async function consent(screen: Screen, deed: string): Promise<boolean> {
  const keyboard = new Keyboard(process.stdin, process.stderr, () => undefined);
  try {
    screen.note(`Type \`allow\` to ${deed}. Enter or anything else leaves it as it is.`);
    screen.ask('Your answer, no unless you say otherwise: ');
    const typed = await keyboard.read(new AbortController().signal);
    return typed.kind === 'line' && typed.text.trim() === 'allow';
  } finally {
    keyboard.close();
  }
}
