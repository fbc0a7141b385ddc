// SPDX-License-Identifier: Apache-2.0

import { DBusError } from '../../dbus/error.ts';
import { asDictionary, variant } from '../../dbus/values.ts';
import { escapeText, visibleJson } from '../visible.ts';
import type { Answer, Question } from './question.ts';

/** What this broker lets a person choose. A choice that was not offered is no answer. */
const CHOICES = ['once', 'deny'] as const;
const MAX_NOTE = 1000;

interface Offer {
  readonly locale: string;
  readonly deadlineMs: number;
  readonly armingMs: number;
}

/** The `Confirm(s id, aa{sv} items, a{sv} context)` call for one question. */
export function encodeQuestion(
  question: Question,
  offer: Offer,
): { signature: string; body: readonly unknown[] } {
  const text = (value: string) => variant('s', value);
  const shown = (value: string) => text(escapeText(value));
  const item = {
    invocation: text(question.invocation),
    digest: text(question.digest),
    kind: text(question.kind),
    capability: text(question.capability),
    version: text(question.version),
    title: shown(titleFor(question, offer.locale)),
    app_id: text(question.appId),
    icon: text(''),
    principal: text(question.principal),
    principal_binding: text(question.principalBinding),
    binding: text(question.providerBinding),
    risk: text(question.risk),
    side_effects: text(question.sideEffects),
    target: text(question.targets.map(escapeText).join('\n')),
    window: text(''),
    params: text(visibleJson(question.params)),
    reason: shown(question.reason),
    evidence: variant('as', question.evidence.map(escapeText)),
    undo: text(undoWords(question)),
    choices: variant('as', CHOICES),
  };
  const context = {
    locale: text(offer.locale),
    deadline_ms: variant('u', Math.ceil(offer.deadlineMs)),
    arming_ms: variant('u', offer.armingMs),
    assurance: text(question.assurance),
  };
  return { signature: 'saa{sv}a{sv}', body: [question.invocation, [item], context] };
}

/** The app's name for it in the person's language, or in the nearest there is: `de_AT`, then `de`, then the original. */
function titleFor({ title, titles }: Question, locale: string): string {
  const full = locale.replaceAll('_', '-');
  const language = full.split('-')[0] ?? full;
  const found = [full, language].find((tag) => Object.hasOwn(titles, tag) && titles[tag]?.name !== undefined);
  return (found === undefined ? undefined : titles[found]?.name) ?? title;
}

/**
 * Reads the reply to `Confirm`. Whatever is not plainly a yes to this question is a no: a row left out, another digest,
 * a choice that was not offered.
 */
export function decodeDecision(reply: readonly unknown[], question: Question, decider: string): Answer {
  const { decision, note } = readDecision(reply, question.digest);
  if (decision === 'once') return { kind: 'once', digest: question.digest, decider };
  return {
    kind: 'deny',
    note: typeof note === 'string' && note !== '' ? note.slice(0, MAX_NOTE) : undefined,
    decider,
  };
}

function readDecision(reply: readonly unknown[], digest: string): { decision: unknown; note: unknown } {
  try {
    const [decisions, ...rest] = reply;
    const entries = rest.length > 0 ? new Map<string, unknown>() : asDictionary(decisions);
    const row = asDictionary(entries.get(digest));
    return { decision: row.get('decision'), note: row.get('note') };
  } catch (error) {
    if (error instanceof DBusError) return { decision: undefined, note: undefined };
    throw error;
  }
}

function undoWords({ kind, undoMs }: Question): string {
  if (kind === 'undo') return 'takes back what was done before';
  return undoMs > 0 ? `can be undone for ${Math.ceil(undoMs / 1000)} s` : 'cannot be undone';
}
