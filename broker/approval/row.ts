// SPDX-License-Identifier: Apache-2.0
import { type ApprovalEvent, type ApprovalState, next, waits } from '../../policy/approval-state.ts';
import type { Action } from '../intent/handle.ts';
import type { Outcome } from '../intent/outcome.ts';
import type { Approving, Denying } from './choice.ts';
import type { WaitingCaller } from './pending-store.ts';
import type { Question } from './question.ts';

/** What a person said, or why nobody could say anything. */
export type Answer =
  | {
      readonly kind: 'approved';
      readonly digest: string;
      readonly decider: string;
      readonly note: string | undefined;
      /** The changed parameters, where the person approved those; JSON text. */
      readonly params: string | undefined;
      /** How long the answer holds for the session, where it does; minutes. */
      readonly sessionMinutes: number | undefined;
    }
  | { readonly kind: 'denied'; readonly decider: string; readonly note: string | undefined }
  /** The same thing was waiting already: it ended like this. */
  | { readonly kind: 'joined'; readonly outcome: Outcome }
  | { readonly kind: Unanswered };

export type Unanswered = 'expired' | 'withdrawn' | 'void' | 'no-confirmer' | 'too-large' | 'too-many';

/** A decision as it goes into the record, with the writing that belongs into the same transaction. */
export interface Decided {
  readonly code:
    | 'Once'
    | 'Session'
    | 'Modified'
    | 'ModifiedSession'
    | 'Deny'
    | 'DenySession'
    | 'Later'
    | 'Extended';
  readonly decider: string;
  /** What the decision is about; for changed parameters the digest of those. */
  readonly digest: string;
  /** The digest that was asked about, where another was approved in its place. It never runs. */
  readonly replaced: string | undefined;
  readonly within: () => void;
}

/** Who waits for an answer, and for what. */
export interface Requester extends WaitingCaller {
  readonly action: Action;
  /** The Request object at which it waits; undefined where it has none, and so cannot outlast the broker. */
  readonly requestPath: string | undefined;
}

/** What the path lends the desk for one question: the record of its attempt, and another look at what it asked. */
export interface Hooks {
  /** Aborts when the requester no longer waits. */
  readonly signal: AbortSignal;
  /** Who waits, and where. */
  readonly requester: Requester;
  /** Records that the person is asked. */
  readonly asked: (within: () => void) => Promise<void>;
  /** Records that the same thing is waiting already. */
  readonly joined: () => Promise<void>;
  /** Records what was decided; durable when it resolves. */
  readonly decided: (decided: Decided) => Promise<void>;
  /**
   * Takes the whole path up to the decision again, on what is true now, with changed parameters if any are given.
   * @throws Refusal where that is refused, or where changed parameters have another target
   */
  readonly check: (params?: string) => Question;
}

/** One entry of the list: what waits for a person, and what became of it. */
export interface Row {
  readonly id: string;
  question: Question;
  state: ApprovalState;
  /** Milliseconds since the epoch. */
  readonly since: number;
  expiresAt: number;
  decidedBy: string | undefined;
  /** Why the last answer did not count; empty at first. */
  problem: string;
  /** Whether it is on record that the person is asked; nobody sees it before. */
  recorded: boolean;
  /** From before a restart, and what it would call is not back yet: it can be denied and not approved. */
  dormant: boolean;
  /** From before a restart: who asked waits patiently, whether or not anybody is there to answer. */
  readonly patient: boolean;
  readonly hooks: Hooks;
  readonly answer: PromiseWithResolvers<Answer>;
  /** How it ended, for whoever asked the same. */
  readonly outcome: PromiseWithResolvers<Outcome>;
  /** Stops listening for the requester to leave. */
  letGo: () => void;
  /** When it ended; milliseconds since the epoch. */
  endedAt: number | undefined;
}

/** An entry for a new question, or for one of before a restart. */
export function newRow(
  question: Question,
  hooks: Hooks,
  more: Pick<Row, 'since' | 'expiresAt'> & Partial<Row>,
): Row {
  return {
    id: question.invocation,
    question,
    state: 'pending',
    decidedBy: undefined,
    problem: '',
    recorded: false,
    dormant: false,
    patient: false,
    hooks,
    answer: Promise.withResolvers(),
    outcome: Promise.withResolvers(),
    letGo: () => undefined,
    endedAt: undefined,
    ...more,
  };
}

/** Whether it can still be decided. */
export function isOpen({ state }: Pick<Row, 'state'>): boolean {
  return waits(state);
}

/** Takes the entry a step on; false, and nothing changed, where it is no longer there to be taken. */
export function step(row: Row, event: ApprovalEvent): boolean {
  const after = next(row.state, event);
  if ('refused' in after) return false;
  row.state = after.state;
  return true;
}

/** The answers that have an effect now. */
export function choicesNow({ question, dormant }: Row): Question['choices'] {
  return dormant
    ? question.choices.filter((choice) => choice === 'later' || choice === 'deny')
    : question.choices;
}

/** A verdict that ends the waiting. */
export type Final = Approving | Denying;

/** The word under which a verdict is recorded. */
export function codeOf(verdict: Final): Decided['code'] {
  switch (verdict.choice) {
    case 'deny':
      return 'Deny';
    case 'deny_session':
      return 'DenySession';
    case 'once':
      return verdict.params === undefined ? 'Once' : 'Modified';
    case 'session':
      return verdict.params === undefined ? 'Session' : 'ModifiedSession';
  }
}

/** What the ending of its intent is for an entry that was approved. */
export function eventOf({ status, code }: Pick<Outcome, 'status' | 'code'>): ApprovalEvent {
  switch (status) {
    case 'executed':
      return 'execute';
    case 'failed':
      return 'fail';
    case 'unknown':
      return 'lose';
    case 'expired':
      return 'expire';
    case 'denied':
      return code === 'ApprovalMismatch' ? 'void' : 'deny';
  }
}
