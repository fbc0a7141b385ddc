// SPDX-License-Identifier: Apache-2.0
import { Refusal } from '../intent/stage.ts';
import { approves, changedParams, choicesOf, SESSION_MINUTES, type Verdict } from './choice.ts';
import type { ConfirmLimits } from './confirmers.ts';
import type { Decisions } from './decisions.ts';
import { ApprovalError } from './error.ts';
import { type PendingList, stale } from './pending-list.ts';
import type { PendingStore } from './pending-store.ts';
import type { Question } from './question.ts';
import { type Answer, choicesNow, codeOf, type Decided, type Final, type Row, step } from './row.ts';

interface Deps {
  readonly list: PendingList;
  readonly store: Pick<PendingStore, 'update'>;
  readonly decisions: Pick<Decisions, 'note'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly limits: Pick<ConfirmLimits, 'deadlineMs' | 'laterMs'>;
  /** What is on the screen of this row is no longer true. */
  readonly changed: (row: Row) => void;
  /** The person denied this for as long as the caller's connection lasts. */
  readonly deniedForSession: (question: Question) => void;
}

const MAX_NOTE = 1000;

/** Applies a person's answers to entries of the list. The first that ends the waiting counts, and only once. */
export class Deciding {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * Resolves once the decision is on the disk. Everything before that, up to the entry's new state, happens at once: whoever
   * comes second finds it decided.
   * @throws ApprovalError `Stale`, `NotAllowed`, `InvalidParams`; StoreError, and then nothing runs
   */
  async decide(row: Row, verdict: Verdict, decider: string): Promise<void> {
    const offered = choicesNow(row);
    if (!choicesOf(verdict).every((choice) => offered.includes(choice))) throw notOffered();
    if (verdict.choice === 'later') {
      const until = Math.max(row.expiresAt, this.#deps.now() + this.#deps.limits.laterMs);
      step(row, 'later');
      return await this.#prolong(row, until, { code: 'Later', decider });
    }
    const asked = row.question;
    const meant = changedQuestion(row, verdict) ?? asked;
    // The one place where it is decided who came first.
    if (!step(row, approves(verdict) ? 'approve' : 'deny')) throw stale();
    row.decidedBy = decider;
    row.question = meant;
    this.#deps.list.close(row);
    try {
      await row.hooks.decided(this.#decision(row, asked, meant, verdict, decider));
    } catch (error) {
      row.answer.reject(error);
      throw error;
    }
    if (verdict.choice === 'deny_session') this.#deps.deniedForSession(meant);
    row.answer.resolve(answerOf(verdict, meant.digest, decider));
  }

  /**
   * Gives the person as much time again, within a bound.
   * @throws as `decide`
   */
  async extend(row: Row, decider: string): Promise<void> {
    const { now, limits } = this.#deps;
    const until =
      row.state === 'later'
        ? now() + limits.laterMs
        : Math.min(row.expiresAt + limits.deadlineMs, row.since + limits.laterMs);
    step(row, 'extend');
    await this.#prolong(row, until, { code: 'Extended', decider });
  }

  #decision(row: Row, asked: Question, meant: Question, verdict: Final, decider: string): Decided {
    const { store, decisions, now } = this.#deps;
    const modified = changedParams(verdict) !== undefined;
    return {
      code: codeOf(verdict),
      decider,
      digest: meant.digest,
      replaced: meant.digest === asked.digest ? undefined : asked.digest,
      within: () => {
        store.update(row.id, approves(verdict) ? 'approved' : 'denied', row.expiresAt);
        const { principalName, capability } = meant;
        decisions.note(principalName, capability, modified ? 'modified' : verdict.choice, now());
      },
    };
  }

  async #prolong(row: Row, until: number, said: Pick<Decided, 'code' | 'decider'>): Promise<void> {
    const { list, store, changed } = this.#deps;
    const stored = row.state === 'later' ? 'later' : 'pending';
    row.expiresAt = until;
    changed(row);
    list.arm();
    list.tell(row);
    const within = () => store.update(row.id, stored, until);
    await row.hooks.decided({ ...said, digest: row.question.digest, replaced: undefined, within });
  }
}

/** The question with the person's parameters in it, where there are any. */
function changedQuestion(row: Row, verdict: Final): Question | undefined {
  const params = changedParams(verdict);
  if (params === undefined) return undefined;
  try {
    const changed = row.hooks.check(params);
    if (verdict.choice === 'session' && !changed.choices.includes('session')) throw notOffered();
    return changed;
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    const text = `the changed parameters are refused (${cause.code}): ${cause.message}`;
    throw new ApprovalError('InvalidParams', text, { cause });
  }
}

function answerOf(verdict: Final, digest: string, decider: string): Answer {
  const note =
    verdict.note === undefined || verdict.note === '' ? undefined : verdict.note.slice(0, MAX_NOTE);
  if (!approves(verdict)) return { kind: 'denied', decider, note };
  const { choice, params, minutes } = verdict;
  const sessionMinutes = choice === 'session' ? (minutes ?? SESSION_MINUTES.usual) : undefined;
  return { kind: 'approved', digest, decider, note, params, sessionMinutes };
}

function notOffered(): ApprovalError {
  return new ApprovalError('NotAllowed', 'this answer would have no effect here: choose one that is offered');
}
