// SPDX-License-Identifier: Apache-2.0
import { escapeText, visibleJson } from '../visible.ts';
import { titleFor, undoWords } from './confirm-message.ts';
import type { EarlierDecision } from './decisions.ts';
import { targetTexts } from './question.ts';
import { choicesNow, isOpen, type Row } from './row.ts';

/**
 * What waits for the person, or has ended within the hour, in the names in which it is sent as JSON. Texts of others
 * arrive with all that hides or acts escaped.
 */
export interface PendingRow {
  readonly id: string;
  readonly invocation: string;
  /** What an approval is bound to. */
  readonly digest: string;
  /** `pending`, `later`, `executing`, or how it ended. */
  readonly state: string;
  /** Milliseconds since the epoch, as is `expires_at`. */
  readonly since: number;
  readonly expires_at: number;
  /** `invoke`, or `undo` where an earlier invocation is to be taken back. */
  readonly kind: string;
  readonly capability: string;
  readonly version: string;
  /** The app's word. */
  readonly title: string;
  /** Empty for the broker's own capabilities. */
  readonly app_id: string;
  readonly binding: string;
  readonly principal: string;
  readonly principal_binding: string;
  readonly assurance: string;
  readonly risk: string;
  readonly side_effects: string;
  /** What it would touch, empty where that could not be determined; absent once it has ended, as are the next four. */
  readonly targets?: readonly string[];
  /** JSON text of all parameters. */
  readonly params?: string;
  /** The caller's words, as are the next two. */
  readonly reason?: string;
  readonly evidence?: readonly string[];
  readonly intention?: string;
  readonly undo: string;
  /** The decisions that have an effect. */
  readonly choices: readonly string[];
  /** `user:<uid>`, once decided. */
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
