// SPDX-License-Identifier: Apache-2.0
import type { Capability } from '../../manifests/capability.ts';
import type { Targets } from '../../policy/target.ts';
import type { Attempt } from '../intent/attempt.ts';
import type { Action } from '../intent/handle.ts';
import type { Prepared } from '../intent/prepare.ts';
import type { World } from '../world.ts';
import { type Choice, choicesFor } from './choice.ts';

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
  /** The principal without what tells its processes apart: what the person decided before is remembered under it. */
  readonly principalName: string;
  readonly principalBinding: string;
  /** The caller's unique bus name. */
  readonly connection: string;
  readonly assurance: string;
  readonly risk: string;
  readonly sideEffects: string;
  readonly targets: Targets;
  /** Canonical JSON: the very text that is hashed and sent. */
  readonly params: string;
  /** The caller's words, or empty. */
  readonly reason: string;
  /** What the caller says its reason rests on; its words as well. */
  readonly evidence: readonly string[];
  /** The caller's label for what it wants altogether: what has the same one is asked about together. */
  readonly intention: string | undefined;
  /** The app's names for it by language. */
  readonly titles: Capability['locales'];
  /** Milliseconds in which it can be undone afterwards; 0 when it cannot. */
  readonly undoMs: number;
  /** The answers that have an effect. */
  readonly choices: readonly Choice[];
}

export function questionOf(action: Action, ready: Prepared, attempt: Attempt, world: World): Question {
  const { capability, appId } = ready.entry;
  const { principal, connection } = attempt.caller;
  const { kind } = action;
  return {
    invocation: attempt.invocation,
    digest: ready.digest,
    kind,
    capability: capability.id,
    version: capability.version,
    title: capability.name,
    appId: appId ?? '',
    providerBinding: world.providers.binding(ready.entry),
    principal: principal.id,
    principalName: principal.name,
    principalBinding: principal.binding,
    connection,
    assurance: principal.assurance,
    risk: ready.classification.risk,
    sideEffects: ready.classification.sideEffects,
    targets: ready.targets,
    params: ready.params,
    reason: (kind === 'invoke' ? action.intent.reason : action.reason) ?? '',
    evidence: kind === 'invoke' ? action.intent.evidence : [],
    intention: kind === 'invoke' ? action.intent.intention : undefined,
    titles: capability.locales,
    undoMs: kind === 'invoke' ? (capability.undoWindowMs ?? 0) : 0,
    choices: choicesFor(kind, ready.decision, ready.targets),
  };
}

/** The targets as texts; none where they could not be determined. */
export function targetTexts({ targets }: Pick<Question, 'targets'>): readonly string[] {
  return targets === 'undetermined' ? [] : targets.map(({ value }) => value);
}
