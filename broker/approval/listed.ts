// SPDX-License-Identifier: Apache-2.0
import type { ApprovalState } from '../../policy/approval-state.ts';
import { escapeText, visibleJson } from '../visible.ts';
import { titleFor, undoWords } from './confirm-message.ts';
import type { EarlierDecision } from './decisions.ts';
import { targetTexts } from './question.ts';
import { choicesNow, isOpen, type Row } from './row.ts';

/** An entry of the list, in the names in which it is sent as JSON. */
export interface PendingRow {
  readonly id: string;
  readonly invocation: string;
  readonly digest: string;
  readonly state: ApprovalState;
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly expires_at: number;
  readonly kind: string;
  readonly capability: string;
  readonly version: string;
  readonly title: string;
  readonly app_id: string;
  readonly binding: string;
  readonly principal: string;
  readonly principal_binding: string;
  readonly assurance: string;
  readonly risk: string;
  readonly side_effects: string;
  /** Absent once it has ended, with everything else that its caller said. */
  readonly targets?: readonly string[];
  readonly params?: string;
  readonly reason?: string;
  readonly evidence?: readonly string[];
  readonly intention?: string;
  readonly undo: string;
  readonly choices: readonly string[];
  readonly decided_by?: string;
  readonly earlier: readonly EarlierDecision[];
}

/** Everything in visible characters; what its caller said only while it can still be decided. */
export function listed(row: Row, earlier: readonly EarlierDecision[], locale: string): PendingRow {
  const { question } = row;
  return {
    id: row.id,
    invocation: question.invocation,
    digest: question.digest,
    state: row.state,
    since: row.since,
    expires_at: row.expiresAt,
    kind: question.kind,
    capability: question.capability,
    version: question.version,
    title: escapeText(titleFor(question, locale)),
    app_id: question.appId,
    binding: question.providerBinding,
    principal: question.principal,
    principal_binding: question.principalBinding,
    assurance: question.assurance,
    risk: question.risk,
    side_effects: question.sideEffects,
    ...(isOpen(row) ? said(row) : {}),
    undo: undoWords(question),
    choices: isOpen(row) ? choicesNow(row) : [],
    ...(row.decidedBy === undefined ? {} : { decided_by: row.decidedBy }),
    earlier,
  };
}

function said({ question }: Row) {
  return {
    targets: targetTexts(question).map(escapeText),
    params: visibleJson(question.params),
    reason: escapeText(question.reason),
    evidence: question.evidence.map(escapeText),
    ...(question.intention === undefined ? {} : { intention: question.intention }),
  };
}

/** What an ended entry still is: its parameters and its caller's words are forgotten in memory as well. */
export function scrubbed(question: Row['question']): Row['question'] {
  return { ...question, params: '', reason: '', evidence: [], targets: 'undetermined', choices: [] };
}
