// SPDX-License-Identifier: Apache-2.0
import { BrokerError, type Outcome, type RequestOptions } from '../../client.ts';
import type { Invocation } from './command.ts';
import { quote } from './escape.ts';
import { EXIT, type ExitCode } from './exit.ts';
import { showOutcome } from './show-outcome.ts';

/** How long a person may take where nobody said `--wait`, in milliseconds. */
const PATIENCE_MS = 10_000;

type Ask = (request: RequestOptions) => Promise<Outcome>;

/**
 * Makes a request, waits for its end and shows it. Ctrl-C, and running out of patience, cancel it: its outcome is only told to
 * the connection that asked, so there is nothing to leave behind.
 */
export async function waitForOutcome(
  { options, screen }: Invocation,
  ask: Ask,
  patienceMs: number = PATIENCE_MS,
): Promise<ExitCode> {
  const cancel = new AbortController();
  const interrupt = (): void => cancel.abort('interrupted');
  const patience = options.on('wait')
    ? undefined
    : setTimeout(() => cancel.abort('out of patience'), patienceMs);
  process.once('SIGINT', interrupt);
  try {
    const onProgress = (permille: number, text: string): void =>
      screen.note(`${Math.round(permille / 10)} %, says the app: ${quote(text)}`);
    const asked = ask({ signal: cancel.signal, onProgress });
    const outcome = await screen.while('not decided or not done yet', asked);
    const exit = showOutcome(outcome, screen);
    if (outcome.code !== 'Withdrawn') return exit;
    if (cancel.signal.reason === 'interrupted') return EXIT.interrupted;
    screen.note(`  nobody decided within ${patienceMs / 1000} s: add \`--wait\` to wait for the person`);
    return EXIT.pending;
  } catch (error) {
    if (!(error instanceof BrokerError) || !ENDED_UNHEARD.has(error.code)) throw error;
    screen.note([{ text: 'unknown', style: 'yellow' }, `: ${error.message}`]);
    screen.note('  it may have happened: look before you try again');
    if (screen.json) screen.jsonLine({ error: { code: error.code, message: error.message } });
    return EXIT.unknown;
  } finally {
    clearTimeout(patience);
    process.removeListener('SIGINT', interrupt);
  }
}

/** The request was sent and its end was not told. */
const ENDED_UNHEARD: ReadonlySet<string> = new Set(['Disconnected', 'Timeout', 'Protocol']);
