// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import type { OperatorClient } from '../../../client.ts';
import { type AuditRecord, auditFilter, auditRecords, storeFiles } from '../audit-source.ts';
import { asOperator } from '../bus.ts';
import type { Invocation } from '../command.ts';
import { CliError } from '../error.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { flow } from '../flow.ts';
import type { Line, Screen, Style } from '../screen.ts';

const USUAL = 20;
/** Milliseconds between two looks for new records. */
const INTERVAL_MS = 500;

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { options, screen, env } = invocation;
  if (options.on('follow')) {
    if (storeFiles(options) !== undefined) {
      throw new CliError('BadOption', '`--follow` needs a running broker', 'leave out `--store`');
    }
    return await asOperator(env, (operator) => follow(operator, invocation));
  }
  const { limit = USUAL, ...filter } = auditFilter(options);
  const records = await screen.while(
    'still reading the records',
    auditRecords(invocation, { ...filter, limit }),
  );
  screen.result(records, () => records.flatMap((record) => lines(record, screen.columns)));
  return EXIT.ok;
}

async function follow(operator: OperatorClient, { options, screen }: Invocation): Promise<ExitCode> {
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  process.once('SIGINT', interrupt);
  const { limit = USUAL, ...filter } = auditFilter(options);
  try {
    let records = await operator.audit({ ...filter, limit });
    let last = 0;
    while (!stop.signal.aborted) {
      for (const record of records) show(record, screen);
      last = Number(records.at(-1)?.audit_id ?? last);
      await sleep(INTERVAL_MS, undefined, { signal: stop.signal }).catch(() => undefined);
      if (!stop.signal.aborted) records = await operator.audit({ ...filter, after: last, limit: 1000 });
    }
    return EXIT.ok;
  } finally {
    process.removeListener('SIGINT', interrupt);
  }
}

function show(record: AuditRecord, screen: Screen): void {
  if (screen.json) screen.jsonLine(record);
  else for (const line of lines(record, screen.columns)) screen.line(line);
}

const STYLE: Readonly<Record<string, Style>> = {
  executed: 'green',
  denied: 'red',
  failed: 'red',
  expired: 'red',
  unknown: 'yellow',
};

/** Columns in front of what the first line of a record has no room for. */
const INDENT = 10;

function lines(record: AuditRecord, room: number): readonly Line[] {
  const { audit_id, time, type } = record;
  const when = typeof time === 'number' ? new Date(time).toISOString() : '';
  const head = `${String(audit_id).padStart(6)}  ${when}  `;
  const what = String(type ?? 'unreadable').padEnd(12);
  const style = STYLE[String(type)];
  const taken = head.length + what.length + 2;
  const pieces = said(record).map((piece) => `${piece} `);
  const [first = '', ...others] = flow(pieces, { room, taken, indent: INDENT });
  return [[head, style === undefined ? what : { text: what, style }, `  ${first}`], ...others];
}

/** What a record says beside when and what, in pieces that stay whole. */
function said(record: AuditRecord): readonly string[] {
  const { principal, capability, stage, code, invocation, app_id, count, rule, grant, decider, type } =
    record;
  const pieces = [
    capability ?? app_id,
    principal === undefined ? undefined : `for ${principal}`,
    stage === undefined ? undefined : `at ${stage}`,
    code,
    rule === undefined ? undefined : `by ${rule}`,
    grant === undefined ? undefined : `by grant ${grant}`,
    decider === undefined ? undefined : `decided by ${decider}`,
    // Equal refusals are one record; in others a count is of something else.
    type === 'denied' && count !== undefined ? `${count} times` : undefined,
    invocation === undefined ? undefined : `(${invocation})`,
  ];
  return pieces.filter((piece) => piece !== undefined).map(String);
}
