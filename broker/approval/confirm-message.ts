// SPDX-License-Identifier: Apache-2.0

import { DBusError } from '../../dbus/error.ts';
import { asDictionary, variant } from '../../dbus/values.ts';
import { escapeText, visibleJson } from '../visible.ts';
import { type Choice, SESSION_MINUTES, type Verdict } from './choice.ts';
import { type Question, targetTexts } from './question.ts';

interface Offer {
  readonly locale: string;
  readonly deadlineMs: number;
  readonly armingMs: number;
  /** Whether the surface can let a person change parameters. */
  readonly canModify: boolean;
}

/** One row as it is put on the screen. */
export interface Shown {
  readonly question: Question;
  /** Why the person's last answer to it did not count, in words of the broker; empty at first. */
  readonly problem: string;
}

/** The `Confirm(s id, aa{sv} items, a{sv} context)` call for one question with its rows. */
export function encodeQuestion(
  id: string,
  rows: readonly Shown[],
  offer: Offer,
): { signature: string; body: readonly unknown[] } {
  const weakest = rows.some(({ question }) => question.assurance === 'advisory') ? 'advisory' : 'enforced';
  const context = {
    locale: variant('s', offer.locale),
    deadline_ms: variant('u', Math.ceil(offer.deadlineMs)),
    arming_ms: variant('u', offer.armingMs),
    assurance: variant('s', weakest),
  };
  return { signature: 'saa{sv}a{sv}', body: [id, rows.map((row) => encodeRow(row, offer)), context] };
}

function encodeRow({ question, problem }: Shown, offer: Offer): Readonly<Record<string, unknown>> {
  const text = (value: string) => variant('s', value);
  const shown = (value: string) => text(escapeText(value));
  return {
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
    own_tick: variant('b', needsOwnTick(question)),
    target: text(targetTexts(question).map(escapeText).join('\n')),
    window: text(''),
    params: text(visibleJson(question.params)),
    reason: shown(question.reason),
    evidence: variant('as', question.evidence.map(escapeText)),
    intention: text(question.intention ?? ''),
    undo: text(undoWords(question)),
    problem: shown(problem),
    choices: variant('as', offered(question, offer)),
  };
}

/** A row that destroys, or reaches into the system, is decided by a step of its own and never together with others. */
function needsOwnTick({ sideEffects }: Question): boolean {
  return sideEffects === 'destructive' || sideEffects === 'system';
}

function offered({ choices }: Question, { canModify }: Pick<Offer, 'canModify'>): readonly Choice[] {
  return choices.filter((choice) => choice !== 'modified' || canModify);
}

/** The app's name for it in the person's language, or in the nearest there is: `de_AT`, then `de`, then the original. */
export function titleFor({ title, titles }: Question, locale: string): string {
  const full = locale.replaceAll('_', '-');
  const language = full.split('-')[0] ?? full;
  const found = [full, language].find((tag) => Object.hasOwn(titles, tag) && titles[tag]?.name !== undefined);
  return (found === undefined ? undefined : titles[found]?.name) ?? title;
}

/**
 * Reads the reply to `Confirm`: a verdict for each row. Whatever is not plainly another answer to this row is a no: a row
 * left out, another digest, a choice that was not offered.
 */
export function decodeDecisions(
  reply: readonly unknown[],
  questions: readonly Question[],
  surface: Pick<Offer, 'canModify'>,
): ReadonlyMap<string, Verdict> {
  const entries = entriesOf(reply);
  return new Map(
    questions.map((question) => [
      question.digest,
      verdictOf(fieldsOf(entries.get(question.digest)), offered(question, surface)),
    ]),
  );
}

function verdictOf(row: ReadonlyMap<string, unknown>, choices: readonly Choice[]): Verdict {
  const said = row.get('decision');
  const note = noteOf(row.get('note'));
  const choice = choices.find((one) => one === said) ?? 'deny';
  switch (choice) {
    case 'later':
      return { choice };
    case 'deny':
    case 'deny_session':
      return { choice, note };
    case 'once':
      return { choice, note };
    case 'session': {
      const minutes = minutesOf(row.get('minutes'));
      return minutes === undefined ? { choice: 'deny', note } : { choice, minutes, note };
    }
    case 'modified': {
      const params = row.get('params');
      return typeof params === 'string' ? { choice: 'once', params, note } : { choice: 'deny', note };
    }
  }
}

function minutesOf(value: unknown): number | undefined {
  if (value === undefined) return SESSION_MINUTES.usual;
  const fine = typeof value === 'number' && Number.isInteger(value);
  return fine && value >= 1 && value <= SESSION_MINUTES.most ? value : undefined;
}

function noteOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function entriesOf(reply: readonly unknown[]): ReadonlyMap<string, unknown> {
  return reply.length === 1 ? fieldsOf(reply[0]) : new Map();
}

/** The entries of a received `a{sv}`; none where it is something else. */
function fieldsOf(value: unknown): ReadonlyMap<string, unknown> {
  try {
    return asDictionary(value);
  } catch (error) {
    if (error instanceof DBusError) return new Map();
    throw error;
  }
}

/** Whether it can be taken back, in words. */
export function undoWords({ kind, undoMs }: Question): string {
  if (kind === 'undo') return 'takes back what was done before';
  return undoMs > 0 ? `can be undone for ${Math.ceil(undoMs / 1000)} s` : 'cannot be undone';
}
