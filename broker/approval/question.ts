// SPDX-License-Identifier: Apache-2.0
import type { Capability } from '../../manifests/capability.ts';
import type { Approval } from '../../policy/permit.ts';
import type { Attempt } from '../intent/attempt.ts';
import type { Action } from '../intent/handle.ts';
import type { Prepared } from '../intent/prepare.ts';
import { Refusal } from '../intent/stage.ts';
import type { World } from '../world.ts';

/** What a person is shown about one invocation. Broker's facts and others' words are separate fields. */
export interface Question {
  readonly invocation: string;
  /** Names exactly what would run; an answer counts only for this. */
  readonly digest: string;
  readonly kind: 'invoke' | 'undo';
  readonly capability: string;
  readonly version: string;
  /** The app's own name for it, signed but the app's word. */
  readonly title: string;
  readonly appId: string;
  /** How strongly the provider is known to be that app. */
  readonly providerBinding: string;
  readonly principal: string;
  readonly principalBinding: string;
  readonly assurance: string;
  readonly risk: string;
  readonly sideEffects: string;
  readonly targets: readonly string[];
  /** Canonical JSON: the very text that is hashed and sent. */
  readonly params: string;
  /** The caller's words, or empty. */
  readonly reason: string;
  /** What the caller says its reason rests on; its words as well. */
  readonly evidence: readonly string[];
  /** The app's names for it by language. */
  readonly titles: Capability['locales'];
  /** Milliseconds in which it can be undone afterwards; 0 when it cannot. */
  readonly undoMs: number;
}

export type Answer =
  | { readonly kind: 'once'; readonly digest: string; readonly decider: string }
  | { readonly kind: 'deny'; readonly note: string | undefined; readonly decider: string }
  | { readonly kind: 'expired' | 'withdrawn' | 'no-confirmer' | 'too-large' | 'too-many' };

/**
 * Puts one invocation before a person and waits for the answer.
 *
 * @throws Refusal unless the answer is yes to this very digest
 */
export async function askPerson(
  action: Action,
  ready: Prepared,
  attempt: Attempt,
  world: World,
): Promise<Approval> {
  const question = questionOf(action, ready, attempt, world);
  await world.records.append(attempt.event('asked', world.now(), { rule: ready.decision.decider }), 'normal');
  const answer = await world.confirmers.ask(question, attempt.signal);
  if (answer.kind === 'once' || answer.kind === 'deny') {
    attempt.decider = answer.decider;
    await world.records.append(
      attempt.event('decided', world.now(), { code: answer.kind === 'once' ? 'Once' : 'Deny' }),
      'normal',
    );
  }
  switch (answer.kind) {
    case 'once':
      return { digest: answer.digest, decider: answer.decider };
    case 'deny':
      throw new Refusal(
        'PersonDenied',
        'the person at the desk said no: do not ask again for the same',
        answer.note === undefined ? {} : { note: answer.note },
      );
    case 'expired':
      throw new Refusal('Expired', 'nobody answered in time; nothing ran');
    case 'withdrawn':
      throw new Refusal('Withdrawn', 'withdrawn before anybody answered; nothing ran');
    case 'too-large':
      throw new Refusal('LimitExceeded', 'this is too large to be shown to a person: ask for less at a time');
    case 'too-many':
      throw new Refusal('LimitExceeded', 'too many questions of yours are open: wait for answers first');
    case 'no-confirmer':
      throw new Refusal(
        'NoConfirmer',
        'a person must confirm this and no confirmation surface is running: start one, for example `portalctl confirm`',
      );
  }
}

function questionOf(action: Action, ready: Prepared, attempt: Attempt, world: World): Question {
  const { capability, appId } = ready.entry;
  const { principal } = attempt.caller;
  return {
    invocation: attempt.invocation,
    digest: ready.digest,
    kind: action.kind,
    capability: capability.id,
    version: capability.version,
    title: capability.name,
    appId: appId ?? '',
    providerBinding: world.providers.binding(ready.entry),
    principal: principal.id,
    principalBinding: principal.binding,
    assurance: principal.assurance,
    risk: ready.classification.risk,
    sideEffects: ready.classification.sideEffects,
    targets: ready.targets === 'undetermined' ? [] : ready.targets.map(({ value }) => value),
    params: ready.params,
    reason: (action.kind === 'invoke' ? action.intent.reason : action.reason) ?? '',
    evidence: action.kind === 'invoke' ? action.intent.evidence : [],
    titles: capability.locales,
    undoMs: action.kind === 'invoke' ? (capability.undoWindowMs ?? 0) : 0,
  };
}
