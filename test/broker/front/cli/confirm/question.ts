// SPDX-License-Identifier: Apache-2.0
import type { Question, Row } from '../../../../../broker/front/cli/confirm/row.ts';

/** A row as the broker sends one. */
export function row(changes: Partial<Row> = {}): Row {
  return {
    digest: 'd1',
    kind: 'invoke',
    capability: 'desk.org.example.desk.drop',
    version: '1.0',
    title: 'Drop',
    appId: 'org.example.Desk',
    providerBinding: 'unbound',
    principal: 'agent',
    principalBinding: 'exe',
    risk: 'high',
    sideEffects: 'destructive',
    targets: ['todo'],
    params: '{"name":"todo"}',
    reason: 'it is done',
    evidence: [],
    undo: 'can be undone for 30 s',
    choices: ['once', 'deny'],
    ownTick: false,
    intention: '',
    problem: '',
    earlier: [],
    ...changes,
  };
}

export function question(changes: Partial<Question> = {}): Question {
  return { id: 'q1', rows: [row()], assurance: 'advisory', deadlineMs: 60_000, armingMs: 500, ...changes };
}
