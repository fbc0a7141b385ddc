// SPDX-License-Identifier: Apache-2.0
import { setTimeout as wait } from 'node:timers/promises';
import { Keyboard } from './confirm/keyboard.ts';
import { CliError } from './error.ts';
import type { Screen } from './screen.ts';

/** Milliseconds between a question and the first key that counts. */
const ARMING_MS = 500;

/**
 * The person at this terminal. Its keyboard is held from the beginning of the command, so that whatever was typed before
 * the question stood is gone: also what waited in the terminal already.
 */
export class Consent {
  readonly #screen: Screen;
  readonly #keyboard: Keyboard;
  readonly #interrupted = Promise.withResolvers<never>();

  /**
   * @param remedy what to do where there is no terminal
   * @throws CliError `NotATerminal` where nobody can be shown something and answer: a pipe must not decide
   */
  constructor(screen: Screen, remedy: string) {
    const { stdin, stderr } = process;
    if (!stdin.isTTY || !stderr.isTTY) {
      throw new CliError(
        'NotATerminal',
        'this is only decided at a terminal, and standard input and error are none',
        remedy,
      );
    }
    this.#screen = screen;
    this.#keyboard = new Keyboard(stdin, stderr, () =>
      this.#interrupted.reject(new CliError('Interrupted', 'interrupted: nothing was decided')),
    );
    this.#interrupted.promise.catch(() => undefined);
  }

  /** Waits for `work`, unless the person ends it. Throws `Interrupted`. */
  async unlessInterrupted<T>(work: Promise<T>): Promise<T> {
    return await Promise.race([work, this.#interrupted.promise]);
  }

  /** Gives the terminal to another program for as long as `work` takes. */
  async lend<T>(work: () => Promise<T>): Promise<T> {
    return await this.#keyboard.lend(work);
  }

  /**
   * Whether the person types the whole word `allow`.
   * @param deed what that does, after "to"
   */
  async ask(deed: string): Promise<boolean> {
    await this.unlessInterrupted(wait(ARMING_MS));
    this.#screen.note(`Type \`allow\` to ${deed}. Enter or anything else leaves it as it is.`);
    this.#screen.ask('Your answer, no unless you say otherwise: ');
    const typed = await this.#keyboard.read(new AbortController().signal);
    return typed.kind === 'line' && typed.text.trim() === 'allow';
  }

  /** Gives the terminal back. */
  close(): void {
    this.#keyboard.close();
  }
}
