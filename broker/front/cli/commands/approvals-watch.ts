// SPDX-License-Identifier: Apache-2.0
import { BrokerError, type OperatorClient, type PendingRow } from '../../../client.ts';
import { asOperator } from '../bus.ts';
import type { Invocation } from '../command.ts';
import { CliError } from '../error.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { pendingLines } from '../pending-lines.ts';
import type { Screen } from '../screen.ts';
import { span } from '../span.ts';

export async function run({ screen, env }: Invocation): Promise<ExitCode> {
  const left = Promise.withResolvers<'left'>();
  const leave = (): void => left.resolve('left');
  process.once('SIGINT', leave);
  process.once('SIGTERM', leave);
  try {
    return await asOperator(env, async (operator) => {
      const failed = Promise.withResolvers<never>();
      failed.promise.catch(() => undefined); // it is raced below
      await watch(operator, screen, failed.reject);
      screen.note('Watching; questions wait here to be decided. Ctrl-C ends this.');
      const ended = await Promise.race([left.promise, operator.closed, failed.promise]);
      if (ended === 'left') return EXIT.ok;
      throw new CliError(
        'BrokerUnreachable',
        'the message bus went away',
        'start this again once it is back',
      );
    });
  } finally {
    process.removeListener('SIGINT', leave);
    process.removeListener('SIGTERM', leave);
  }
}

/** Shows every row, then each that changed, and who acts. */
async function watch(
  operator: OperatorClient,
  screen: Screen,
  onFault: (error: unknown) => void,
): Promise<void> {
  const { approvals } = operator;
  const shown = new Map<string, string>();
  const show = (rows: readonly PendingRow[], wanted: (id: string) => boolean): void => {
    for (const row of rows.filter(({ id }) => wanted(id))) {
      const standing = `${row.state} ${row.expires_at}`;
      if (shown.get(row.id) !== standing) tell(row, screen);
      shown.set(row.id, standing);
    }
    const listed = new Set(rows.map(({ id }) => id));
    for (const id of shown.keys()) if (!listed.has(id)) shown.delete(id);
  };
  const look = async (wanted: (id: string) => boolean): Promise<void> => {
    show(await approvals.list({ ended: true }), wanted);
  };
  // A broker that went away meanwhile is looked at again once it is back.
  const fault = (error: unknown): void => {
    if (!(error instanceof BrokerError && GONE.has(error.code))) onFault(error);
  };
  await approvals.onChanged((ids) => void look((id) => ids.includes(id)).catch(fault));
  await approvals.onActing((principal, active) => {
    if (screen.json) screen.jsonLine({ acting: { principal, active } });
    else screen.line(`          ${principal} ${active ? 'acts' : 'is done'}`);
  });
  await approvals.onActed(({ invocation, summary, undoUntil }) => {
    if (screen.json) screen.jsonLine({ acted: { invocation, summary, undo_until: undoUntil ?? null } });
    else {
      screen.line(`          done: ${summary}`);
      if (undoUntil === undefined) return;
      screen.line(`          to be undone for ${span(undoUntil - Date.now())}: portalctl undo ${invocation}`);
    }
  });
  const showWaiting = async (): Promise<void> => show(await approvals.list(), () => true);
  operator.onRestart(() => void showWaiting().catch(fault));
  await showWaiting();
}

const GONE: ReadonlySet<string> = new Set(['Disconnected', 'NoBroker']);

function tell(row: PendingRow, screen: Screen): void {
  if (screen.json) screen.jsonLine({ row });
  else for (const line of pendingLines(row, Date.now(), screen.columns)) screen.line(line);
}
