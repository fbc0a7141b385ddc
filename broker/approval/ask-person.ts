// SPDX-License-Identifier: Apache-2.0
import type { Targets } from '../../policy/target.ts';
import type { Attempt } from '../intent/attempt.ts';
import type { Action } from '../intent/handle.ts';
import type { Outcome } from '../intent/outcome.ts';
import type { Prepared } from '../intent/prepare.ts';
import { Refusal } from '../intent/stage.ts';
import type { World } from '../world.ts';
import { questionOf } from './question.ts';
import type { Waiting } from './restore.ts';
import type { Answer, Hooks, Unanswered } from './row.ts';

/** A person's yes. */
export type Approved = Extract<Answer, { kind: 'approved' }>;

/** Walks an action to the decision, as the path does. */
export type Look = (action: Action, attempt: Attempt) => Prepared;

/** The same thing waits already for the same caller: there is one execution, and this is how it ended. */
export class Joined extends Error {
  readonly outcome: Outcome;

  constructor(outcome: Outcome) {
    super('the same was waiting already');
    this.name = 'Joined';
    this.outcome = outcome;
  }
}

/**
 * Puts one invocation before a person and waits for the answer.
 *
 * @throws Refusal unless the answer is yes to this very thing, or to what the person made of it; Joined
 */
export async function askPerson(
  action: Action,
  ready: Prepared,
  attempt: Attempt,
  world: World,
  look: Look,
): Promise<Approved> {
  const question = questionOf(action, ready, attempt, world);
  const answer = await world.desk.ask(question, hooksFor(action, ready.targets, attempt, world, look));
  return approvedOr(answer, attempt);
}

/** Goes on waiting for the answer after a restart. @throws as `askPerson` */
export async function askAgain(
  waiting: Waiting,
  attempt: Attempt,
  world: World,
  look: Look,
): Promise<Approved> {
  const { action, question, stored } = waiting;
  attempt.digest = stored.digest;
  const hooks = hooksFor(action, question.targets, attempt, world, look);
  return approvedOr(await world.desk.resume(waiting, hooks), attempt);
}

/** What was changed by the person, in the action's place. */
export function asMeant(action: Action, params: string | undefined): Action {
  if (params === undefined || action.kind !== 'invoke') return action;
  return { kind: 'invoke', intent: { ...action.intent, params } };
}

function hooksFor(action: Action, targets: Targets, attempt: Attempt, world: World, look: Look): Hooks {
  const { records, now } = world;
  const { connection, principal } = attempt.caller;
  return {
    signal: attempt.signal,
    requester: {
      action,
      connection,
      pid: principal.pid,
      startTime: principal.startTime,
      principal: principal.id,
      requestPath: attempt.requestPath,
    },
    asked: async (within) => {
      await records.append(attempt.event('asked', now()), 'normal', within);
      attempt.decision = undefined; // on record once, and not again with the intent
    },
    joined: async () => {
      await records.append(attempt.event('asked', now(), { code: 'Joined' }), 'normal');
      attempt.decision = undefined;
    },
    decided: async ({ code, decider, digest, replaced, within }) => {
      const more = { code, decider, commitment: digest, ...(replaced === undefined ? {} : { replaced }) };
      await records.append(attempt.event('decided', now(), more), 'full', within);
    },
    check: (params) => {
      const meant = asMeant(action, params);
      // A look must leave no trace in the attempt: it waits on, whatever is found.
      const probe = attempt.probe();
      const again = look(meant, probe);
      if (params !== undefined && !sameTargets(again.targets, targets)) {
        throw new Refusal(
          'TargetMismatch',
          'changed parameters must keep the target: deny it and ask for another',
        );
      }
      return questionOf(meant, again, probe, world);
    },
  };
}

function sameTargets(a: Targets, b: Targets): boolean {
  if (a === 'undetermined' || b === 'undetermined') return a === b;
  return (
    a.length === b.length &&
    a.every(({ kind, value }, index) => kind === b[index]?.kind && value === b[index]?.value)
  );
}

function approvedOr(answer: Answer, attempt: Attempt): Approved {
  if (answer.kind === 'approved' || answer.kind === 'denied') attempt.decider = answer.decider;
  switch (answer.kind) {
    case 'approved':
      return answer;
    case 'joined':
      throw new Joined(answer.outcome);
    case 'denied':
      throw new Refusal(
        'PersonDenied',
        'the person at the desk said no: do not ask again for the same',
        answer.note === undefined ? {} : { note: answer.note },
      );
    default:
      throw unanswered(answer.kind);
  }
}

function unanswered(why: Unanswered): Refusal {
  switch (why) {
    case 'expired':
      return new Refusal('Expired', 'nobody answered in time; nothing ran');
    case 'withdrawn':
      return new Refusal('Withdrawn', 'withdrawn before anybody answered; nothing ran');
    case 'void':
      return new Refusal(
        'Void',
        'what was asked about has changed, is gone, or is denied now; nothing ran: list again before you ask again',
      );
    case 'too-large':
      return new Refusal(
        'LimitExceeded',
        'this is too large to be shown to a person: ask for less at a time',
      );
    case 'too-many':
      return new Refusal('LimitExceeded', 'too many questions of yours are open: wait for answers first');
    case 'no-confirmer':
      return new Refusal(
        'NoConfirmer',
        'a person must confirm this and nobody is there to ask: start a confirmation surface, for example `portalctl confirm`',
      );
  }
}
