// SPDX-License-Identifier: Apache-2.0
import { visible } from '../escape.ts';
import type { Line } from '../screen.ts';
import { type Answer, interpret, offer, prompt } from './answer.ts';
import type { CutLimits } from './cut.ts';
import { draw } from './draw.ts';
import type { Typed } from './keyboard.ts';
import type { Question, Row, Verdict } from './row.ts';

export interface DeskOptions {
  /** Prints a line for the person. */
  readonly note: (line: Line) => void;
  /** Prints the beginning of a line, which the answer ends. */
  readonly ask: (text: string) => void;
  /** The next line typed from now on; rejects when the signal is aborted. */
  readonly read: (signal: AbortSignal) => Promise<Typed>;
  /** Columns of the terminal at this moment. */
  readonly columns: () => number;
  /** Resolves after so many milliseconds; rejects when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /**
   * The parameters, JSON text, as the person changed them; undefined where there is nothing to change them with. Rejects
   * with what was wrong with them, in words for the person.
   */
  readonly change: ((params: string, signal: AbortSignal) => Promise<string>) | undefined;
  /** Called when the person goes: Ctrl-C or the end of the input at a question. */
  readonly onLeave: () => void;
  readonly limits: CutLimits;
}

export const CUT: CutLimits = { line: 200, lines: 40 };

/** Lines of others kept while a question is on the screen; beyond that the oldest are dropped. */
const MOST_HELD = 1000;
/** After a question was withdrawn, the next one is answered no sooner: an answer may be under way that was meant for the first. */
const SWAP_MS = 3000;
const DENY: Verdict = { decision: 'deny' };
/** What the person reads of what they decided. */
const SAID: Readonly<Record<Verdict['decision'], string>> = {
  once: 'Allowed, once.',
  session: 'Allowed, and the same for a while.',
  modified: 'Allowed as you changed it, once.',
  later: 'Not decided: it waits.',
  deny: 'Denied.',
  deny_session: 'Denied, and the same until the connection ends.',
};

/**
 * Puts questions before the person at a terminal, one at a time. Denies whatever is not plainly allowed: at Enter, at
 * anything it does not understand, at Ctrl-C, at the end of the input and at the deadline.
 */
export class Desk {
  readonly #options: DeskOptions;
  readonly #leaving = new AbortController();
  #turn: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  /** The last question went away under the person's eyes. */
  #startled = false;
  #held: Line[] = [];

  constructor(options: DeskOptions) {
    this.#options = options;
  }

  /** The verdict on each row of a question, by its digest. `withdrawn` ends the question: all of it denied. */
  async ask(question: Question, withdrawn: AbortSignal): Promise<ReadonlyMap<string, Verdict>> {
    const deadline = new AbortController();
    const answered = new AbortController();
    // Runs from here and not from when it is shown: the broker's own clock runs while a question waits for its turn.
    this.#options.sleep(question.deadlineMs, answered.signal).then(
      () => deadline.abort('Time is up: denied.'),
      () => undefined,
    );
    const over = AbortSignal.any([withdrawn, deadline.signal, this.#leaving.signal]);
    this.#waiting += 1;
    const turn = this.#turn.then(() => this.#decide(question, over));
    this.#turn = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      answered.abort();
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#release();
    }
  }

  /** Prints somebody else's line as soon as no question is on the screen. */
  say(line: Line): void {
    if (this.#waiting === 0) this.#options.note(line);
    else this.#held = [...this.#held, line].slice(-MOST_HELD);
  }

  /** Denies what is asked and all that waits. */
  leave(): void {
    if (this.#leaving.signal.aborted) return;
    this.#leaving.abort('Denied: you left.');
    this.#options.onLeave();
  }

  #release(): void {
    for (const line of this.#held) this.#options.note(line);
    this.#held = [];
  }

  async #decide(question: Question, over: AbortSignal): Promise<ReadonlyMap<string, Verdict>> {
    const verdicts = new Map<string, Verdict>();
    for (const [index, row] of question.rows.entries()) {
      verdicts.set(row.digest, await this.#decideRow(question, row, index + 1, over));
    }
    return verdicts;
  }

  async #decideRow(question: Question, row: Row, position: number, over: AbortSignal): Promise<Verdict> {
    const { note, sleep } = this.#options;
    try {
      over.throwIfAborted();
      note('');
      const isCut = this.#show(question, row, position, this.#options.limits);
      await sleep(Math.max(question.armingMs, this.#startled ? SWAP_MS : 0), over);
      this.#startled = false;
      const verdict = await this.#answered(question, row, position, isCut, over);
      note(SAID[verdict.decision]);
      return verdict;
    } catch (error) {
      if (!over.aborted) throw error;
      this.#startled = true;
      note(
        typeof over.reason === 'string'
          ? over.reason
          : 'The question was withdrawn: nothing to decide any more.',
      );
      return DENY;
    }
  }

  /** Reads until there is a verdict: looking at more and changing something are none. */
  async #answered(
    question: Question,
    asked: Row,
    position: number,
    cutAtFirst: boolean,
    over: AbortSignal,
  ): Promise<Verdict> {
    const { note, change } = this.#options;
    const of = question.rows.length;
    let row = asked;
    let isCut = cutAtFirst;
    for (;;) {
      const offered = offer(row, { isCut, of, canChange: change !== undefined });
      const typed = await this.#typed(row, prompt(offered), over);
      if (typed.kind !== 'line') this.leave();
      const answer: Answer = typed.kind === 'line' ? interpret(typed.text, offered) : DENY;
      if (answer === 'show-all') isCut = this.#show(question, row, position, undefined);
      else if (answer === 'show-all-first')
        note('Not yet: something is cut. Type `v` to see all of it first.');
      else if (answer === 'own-word-first')
        note('Not yet: what this does may be lost for good. It takes `allow destructive`.');
      else if (answer === 'not-offered')
        note('That has no effect on this question, so nothing is decided: type one of the words above.');
      else if (answer === 'change') {
        row = await this.#changed(row, over);
        isCut = this.#show(question, row, position, undefined);
      } else return answer === 'allow-changed' ? { decision: 'modified', params: row.params } : answer;
    }
  }

  /** The row with the person's own parameters, or as it was where those are none. */
  async #changed(row: Row, over: AbortSignal): Promise<Row> {
    try {
      const params = await this.#options.change?.(row.params, over);
      return params === undefined ? row : { ...row, params, changed: true };
    } catch (error) {
      over.throwIfAborted();
      this.#options.note(`Not changed: ${error instanceof Error ? error.message : 'it failed'}.`);
      return row;
    }
  }

  /** Draws the row; true when something of it is cut. */
  #show(question: Question, row: Row, position: number, limits: CutLimits | undefined): boolean {
    const { note, columns } = this.#options;
    const view = {
      columns: columns(),
      assurance: question.assurance,
      position,
      of: question.rows.length,
      limits,
    };
    const { lines, isCut } = draw(row, view);
    for (const line of lines) note(line);
    return isCut;
  }

  async #typed({ capability }: Row, choices: readonly string[], over: AbortSignal): Promise<Typed> {
    for (const line of choices) this.#options.note(line);
    this.#options.ask(`Your answer on ${visible(capability)}, deny unless you say otherwise: `);
    return await this.#options.read(over);
  }
}
