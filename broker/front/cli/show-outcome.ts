// SPDX-License-Identifier: Apache-2.0
import type { Outcome } from '../../client.ts';
import { quote } from './escape.ts';
import { EXIT, type ExitCode } from './exit.ts';
import { paragraph } from './flow.ts';
import { jsonLines } from './json-lines.ts';
import type { Line, Screen, Style } from './screen.ts';

const STYLE: Record<Outcome['status'], Style> = {
  executed: 'green',
  denied: 'red',
  expired: 'red',
  failed: 'red',
  unknown: 'yellow',
};

const EXIT_OF: Record<Outcome['status'], ExitCode> = {
  executed: EXIT.ok,
  denied: EXIT.refused,
  expired: EXIT.refused,
  failed: EXIT.refused,
  unknown: EXIT.unknown,
};

/** Shows how a request ended; what is no success goes to standard error. The result is the exit code. */
export function showOutcome(outcome: Outcome, screen: Screen): ExitCode {
  const lines = linesOf(outcome, screen.columns);
  if (screen.json) screen.result(outcome, () => []);
  if (outcome.status !== 'executed') for (const line of lines) screen.note(line);
  else if (!screen.json) screen.result(outcome, () => lines);
  return EXIT_OF[outcome.status];
}

function linesOf(outcome: Outcome, room: number): readonly Line[] {
  const { status, stage, invocation, audit_id, code, error, note, result, trust, state_after, undo } =
    outcome;
  return [
    [
      { text: status, style: STYLE[status] },
      ...(status === 'executed' ? [] : [` at stage ${stage}: ${code}`]),
    ],
    ...(error === undefined ? [] : paragraph(error.message, { room, indent: 2 })),
    ...(note === undefined ? [] : [`  the person says: ${quote(note)}`]),
    ...(status === 'unknown' ? ['  it may have happened: look before you try again'] : []),
    `  invocation ${invocation}${audit_id === undefined ? '' : `, record ${audit_id}`}`,
    ...(undo === undefined
      ? []
      : [`  can be undone until ${new Date(undo.until).toISOString()}:`, `    portalctl undo ${invocation}`]),
    ...value(`result, ${trust} trust`, result),
    ...value('state afterwards', state_after),
  ];
}

function value(label: string, content: unknown): readonly string[] {
  if (content === undefined) return [];
  return [`${label}:`, ...jsonLines(JSON.stringify(content)).map((line) => `  ${line}`)];
}
