// SPDX-License-Identifier: Apache-2.0
import { setImmediate, setTimeout as wait } from 'node:timers/promises';
import type { ConfirmItem, ConfirmQuestion, Decision } from '../../../client.ts';
import { changedParameters, editable } from '../changed-parameters.ts';
import { editorIn, editText } from '../edit-text.ts';
import { CliError } from '../error.ts';
import type { Screen } from '../screen.ts';
import { CUT, Desk } from './desk.ts';
import { Keyboard } from './keyboard.ts';
import type { Question, Row } from './row.ts';

export interface TerminalConfirmer {
  readonly desk: Desk;
  /** Whether parameters can be changed here. */
  readonly canModify: boolean;
  /** Decides one question of the broker. */
  readonly decide: (question: ConfirmQuestion) => Promise<ReadonlyMap<string, Decision>>;
  /** Resolves once every answer given has been handed to the connection. */
  readonly settled: () => Promise<void>;
  /** Gives the terminal back. */
  readonly close: () => void;
}

/**
 * A confirmer on the terminal of this process.
 *
 * @param env says which editor parameters are changed in
 * @param onLeave called once, when the person ends it
 * @throws CliError `NotATerminal`: a pipe must not decide, and a person must see what is asked
 */
export function terminalConfirmer(
  screen: Screen,
  env: NodeJS.ProcessEnv,
  onLeave: () => void,
): TerminalConfirmer {
  const { stdin, stderr } = process;
  if (!stdin.isTTY || !stderr.isTTY) {
    throw new CliError(
      'NotATerminal',
      'questions are only decided at a terminal, and standard input and error are none',
      'run it in a terminal of its own, without a pipe',
    );
  }
  const keyboard = new Keyboard(stdin, stderr, () => desk.leave());
  const editor = editorIn(env);
  const changeIn = (command: string) => async (params: string, signal: AbortSignal) => {
    const after = await keyboard.lend(() => editText(editable(params), command, env, signal));
    return changedParameters(params, after);
  };
  const desk = new Desk({
    note: (line) => screen.note(line),
    ask: (text) => screen.ask(text),
    read: (signal) => keyboard.read(signal),
    columns: () => stderr.columns || 80, // a terminal that was never given a size says 0
    sleep: (ms, signal) => wait(ms, undefined, { signal }),
    change: editor === undefined ? undefined : changeIn(editor),
    onLeave,
    limits: CUT,
  });
  const open = new Set<Promise<unknown>>();
  const decide = async (asked: ConfirmQuestion): Promise<ReadonlyMap<string, Decision>> => {
    const question = questionOf(asked);
    const answer = desk.ask(question, asked.signal);
    open.add(answer);
    try {
      const verdicts = await answer;
      if (screen.json) tell(question, verdicts, screen);
      return verdicts;
    } finally {
      open.delete(answer);
    }
  };
  const settled = async (): Promise<void> => {
    await Promise.allSettled(open);
    await setImmediate(); // what follows from an answer, up to the reply, is done by then
  };
  return { desk, canModify: editor !== undefined, decide, settled, close: () => keyboard.close() };
}

/** The verdicts for a program, a line each. */
function tell({ rows }: Question, verdicts: ReadonlyMap<string, Decision>, screen: Screen): void {
  for (const { digest, capability } of rows) screen.jsonLine({ capability, digest, ...verdicts.get(digest) });
}

function questionOf({ id, items, assurance, deadlineMs, armingMs }: ConfirmQuestion): Question {
  return { id, rows: items.map(rowOf), assurance, deadlineMs, armingMs };
}

function rowOf(item: ConfirmItem): Row {
  return {
    ...item,
    kind: item.kind === 'undo' ? 'undo' : 'invoke',
    providerBinding: item.binding,
    targets: item.target === '' ? [] : item.target.split('\n'),
    earlier: [],
  };
}
