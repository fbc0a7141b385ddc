// SPDX-License-Identifier: Apache-2.0
import type {
  CapabilityRequestRow,
  GrantRow,
  MatrixRow,
  PendingRow,
  RuleRow,
} from '../../../broker/client.ts';

const NOW = Date.now();
const MINUTE = 60_000;

/** What waits, as the broker lists it. */
export function pendingRow(changes: Partial<PendingRow> = {}): PendingRow {
  return {
    id: '3f2a9c1e-0000-4000-8000-000000000001',
    invocation: 'c0ffee00-0000-4000-8000-000000000001',
    digest: 'ab'.repeat(32),
    state: 'pending',
    since: NOW - 4 * MINUTE,
    expires_at: NOW + 10 * MINUTE,
    kind: 'invoke',
    capability: 'notes.org.example.notes.delete',
    version: '1.0',
    title: 'Delete a note',
    app_id: 'org.example.Notes',
    binding: 'desktop-exe',
    principal: 'assistant',
    principal_binding: 'exe',
    assurance: 'advisory',
    risk: 'high',
    side_effects: 'destructive',
    targets: ['shopping list'],
    params: '{"name":"shopping list","count":3}',
    reason: 'it is done',
    evidence: ['a mail of yesterday'],
    intention: 'tidy up',
    undo: 'can be undone for 30 s',
    choices: ['once', 'session', 'modified', 'later', 'deny', 'deny_session'],
    earlier: [{ decision: 'deny', time: NOW - 120 * MINUTE }],
    ...changes,
  };
}

export function grantRow(changes: Partial<GrantRow> = {}): GrantRow {
  return {
    id: '6ec0bd7f-0000-4000-8000-000000000001',
    kind: 'scoped',
    principal: 'assistant',
    capability: 'notes.org.example.notes.write',
    target: 'draft-*',
    params: { '/folder': 'drafts' },
    access: 'write',
    expires_at: NOW + 90 * MINUTE,
    operations_left: 7,
    reason: 'drafting',
    granted_by: 'user:1000',
    ...changes,
  };
}

export function requestRow(changes: Partial<CapabilityRequestRow> = {}): CapabilityRequestRow {
  return {
    id: '9a7c1e02-0000-4000-8000-000000000001',
    principal: 'assistant',
    capability: 'notes.org.example.notes.write',
    target: 'draft-*',
    access: 'write',
    minutes: 120,
    operations: 20,
    reason: 'to keep the drafts in order',
    evidence: ['you asked for it'],
    risk: 'a draft could be overwritten',
    mitigation: 'each write can be undone',
    fallback: 'I ask each time',
    alternatives: ['a copy of each draft'],
    intention: 'drafting',
    since: NOW - 3 * MINUTE,
    expires_at: NOW + 7 * 24 * 60 * MINUTE,
    state: 'open',
    earlier: [{ decision: 'once', time: NOW - 60 * MINUTE }],
    ...changes,
  };
}

export function ruleRow(changes: Partial<RuleRow> = {}): RuleRow {
  return {
    id: 'root:10-office:1',
    source: 'root',
    specificity: 4,
    scope: 'global',
    capability: 'notes.org.example.notes.delete',
    effect: 'DENY',
    reason: 'notes are kept',
    ...changes,
  };
}

export function matrixRow(changes: Partial<MatrixRow> = {}): MatrixRow {
  return {
    principal: 'assistant',
    capability: 'notes.org.example.notes.read',
    effect: 'allow',
    gate: 'automatic',
    decider: 'default',
    depends_on_target: false,
    possible: ['allow'],
    ...changes,
  };
}
