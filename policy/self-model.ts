// SPDX-License-Identifier: Apache-2.0
import { mayUse } from './authorise.ts';
import type { Effect } from './decide.ts';
import { type Outlook, outlook } from './outlook.ts';
import type { Principal } from './principal.ts';
import { type Circumstances, type Subject, standingQuestion } from './standing-question.ts';

/** From the most welcome answer to the least. */
const ANSWERS = ['may', 'asks', 'confirms', 'depends', 'forbidden'] as const;
type Answer = (typeof ANSWERS)[number];

/** How an action stands. There is no word for having acted but `executed`. */
export type ActionStatus = 'pending' | 'denied' | 'expired' | 'executed' | 'failed' | 'unknown';

/** What a principal has beside its capabilities. */
export interface Holdings<Grant> {
  readonly grants: readonly Grant[];
  readonly requests: readonly { readonly id: string; readonly capability: string; readonly state: string }[];
  readonly actions: readonly {
    readonly invocation: string;
    readonly capability: string;
    readonly status: ActionStatus;
  }[];
}

/**
 * What a principal can truly say of its own abilities at this moment. Ids of capabilities, each in one list: it would
 * run; a person or a grant answers; a person answers each time; the target decides; it would be denied. What the
 * principal may not see is in none, and which rule decides is not said.
 */
export interface SelfModel<Grant> extends Holdings<Grant> {
  readonly principal: string;
  readonly may: readonly string[];
  readonly asks: readonly string[];
  readonly confirms: readonly string[];
  readonly depends: readonly { readonly capability: string; readonly possible: readonly Effect[] }[];
  readonly forbidden: readonly string[];
}

/** Equal states give equal models, in whatever order they come: only a changed model is a change. */
export function selfModel<Grant extends { readonly id: string; readonly capability: string }>(
  principal: Principal,
  subjects: readonly Subject[],
  circumstances: Circumstances,
  { grants, requests, actions }: Holdings<Grant>,
): SelfModel<Grant> {
  const outlooks = new Map<string, Outlook>();
  for (const subject of subjects.toSorted(byVersion)) {
    const { capability, classification } = subject;
    if (!mayUse(principal, capability, classification)) continue;
    const seen = outlook(standingQuestion(principal, subject, circumstances));
    // Of two versions the less welcome answer counts: what is said must hold for either.
    const other = outlooks.get(capability.id);
    if (other === undefined || rank(seen) > rank(other)) outlooks.set(capability.id, seen);
  }
  const sorted = [...outlooks].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const ids = (answer: Answer): readonly string[] =>
    sorted.filter(([, seen]) => answerOf(seen) === answer).map(([id]) => id);
  return {
    principal: principal.id,
    may: ids('may'),
    asks: ids('asks'),
    confirms: ids('confirms'),
    depends: sorted
      .filter(([, seen]) => answerOf(seen) === 'depends')
      .map(([capability, { possible }]) => ({ capability, possible })),
    forbidden: ids('forbidden'),
    // A grant for what is no longer to be seen tells of nothing.
    grants: grants.filter(({ capability }) => outlooks.has(capability)).toSorted(byId),
    requests: requests.toSorted(byId),
    actions,
  };
}

function byVersion({ capability: a }: Subject, { capability: b }: Subject): number {
  return a.version < b.version ? -1 : 1;
}

function answerOf({ effect, possible, grantable }: Outlook): Answer {
  if (possible.length > 1) return 'depends';
  if (effect === 'ask') return grantable ? 'asks' : 'confirms';
  return effect === 'allow' ? 'may' : 'forbidden';
}

function rank(seen: Outlook): number {
  return ANSWERS.indexOf(answerOf(seen));
}

function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id < b.id ? -1 : 1;
}
