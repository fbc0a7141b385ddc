// SPDX-License-Identifier: Apache-2.0
import { canonicalBytes } from '../../keys/canonical-json.ts';
import { KeyError } from '../../keys/error.ts';
import { parseStrictJson } from '../../keys/strict-json.ts';
import type { Entry } from '../../manifests/registry.ts';
import { type ApprovedThing, invocationDigest } from '../../policy/approval.ts';
import { mayUse } from '../../policy/authorise.ts';
import { type Classification, classify } from '../../policy/classify.ts';
import { type Decision, decide, type Question } from '../../policy/decide.ts';
import { PolicyError } from '../../policy/error.ts';
import type { Intent } from '../../policy/intent.ts';
import { deriveTargets, type Targets } from '../../policy/target.ts';
import { subjectOf } from '../subject.ts';
import type { Judge } from '../world.ts';
import type { Attempt } from './attempt.ts';
import { Refusal } from './stage.ts';
import type { UndoRecord } from './undo.ts';

/** An intent that came through every check before permission: what would run, and what was decided about it. */
export interface Prepared {
  readonly entry: Entry;
  readonly classification: Classification;
  readonly targets: Targets;
  readonly decision: Decision;
  /** What an approval of this is bound to. */
  readonly digest: string;
  /** Canonical JSON of the validated parameters: what is shown, what is hashed and what is sent are these bytes. */
  readonly params: string;
  readonly timeoutMs: number;
  /** What is to be taken back, when this is an undo. */
  readonly undo: UndoRecord | undefined;
}

/**
 * Walks an intent from context to decision. Synchronous and without effect, so it can be repeated: after a person
 * approved, everything is checked again on the snapshot of that moment.
 *
 * @throws Refusal at the stage that `attempt` has reached
 */
export function prepareInvocation(intent: Intent, attempt: Attempt, world: Judge): Prepared {
  attempt.reach('context');
  refuseUnlessLive(intent);

  attempt.reach('resolve');
  const entry = resolve(intent.capability, intent.version, attempt, world);

  attempt.reach('authority');
  const classification = authorise(entry, attempt, world);
  if (intent.category !== undefined && intent.category !== entry.capability.category) {
    throw new Refusal(
      'CategoryMismatch',
      `this capability is in category ${entry.capability.category}: leave the option out or give that`,
    );
  }

  attempt.reach('validate');
  attempt.paramsBytes = Buffer.byteLength(intent.params, 'utf8');
  const params = validate(intent.params, entry, world);
  const canonical = canonicalBytes(params);
  attempt.paramsBytes = canonical.length;

  attempt.reach('target');
  const targets = target(intent, entry, params, world);

  attempt.reach('classify');
  const digest = digestOf('invoke', entry, targets, canonical, attempt, world);

  attempt.reach('policy');
  const wishes = { requireApproval: intent.requireApproval, takenBackByPerson: false };
  const decision = decideFor(entry, classification, targets, wishes, attempt, world);

  const { timeoutMs } = entry.capability.bounds;
  return {
    entry,
    classification,
    targets,
    decision,
    digest,
    params: Buffer.from(canonical).toString('utf8'),
    timeoutMs: Math.min(timeoutMs, intent.timeoutMs ?? timeoutMs),
    undo: undefined,
  };
}

function refuseUnlessLive(intent: Intent): void {
  if (intent.context !== 'live') {
    throw new Refusal(
      'ContextForbidden',
      `nothing can act from a ${intent.context}: dispatch from a live context`,
    );
  }
}

/** Finds exactly what was named, if the caller may see it and its signature is still trusted. */
export function resolve(id: string, version: string | undefined, attempt: Attempt, world: Judge): Entry {
  const found = world.registry.resolve(id, version, attempt.caller.epoch);
  if (found === 'NotFound') throw notFound();
  const entry = found === 'Ambiguous' ? onlyVisible(id, attempt, world) : found;
  attempt.entry = entry;
  const { appId, keyFingerprint } = entry;
  if (
    appId !== undefined &&
    keyFingerprint !== undefined &&
    !world.keyring.isTrusted(appId, keyFingerprint)
  ) {
    world.keyWithdrawn(appId);
    throw notFound();
  }
  return entry;
}

/** Versions above the caller do not exist for it, so they must not show by making a name ambiguous either. */
function onlyVisible(id: string, attempt: Attempt, world: Judge): Entry {
  const { principal, epoch } = attempt.caller;
  const [first, ...others] = world.registry
    .list(epoch)
    .filter(({ capability }) => capability.id === id)
    .filter(({ capability }) => mayUse(principal, capability, classify(capability, world.config.profile)));
  if (first === undefined) throw notFound({ stage: 'authority', code: 'NotAllowed' });
  if (others.length === 0) return first;
  throw new Refusal('Ambiguous', 'several versions are available: name one in the option `version`');
}

/**
 * What is above a caller answers like what does not exist, in the same words; only the record knows better.
 */
function notFound(recorded?: { stage: 'authority'; code: 'NotAllowed' }): Refusal {
  return new Refusal(
    'NotFound',
    'no such capability is available to this caller: list again, and give id and version exactly',
    recorded === undefined ? {} : { recorded },
  );
}

/** Classifies, and holds the result against the caller's level and categories. */
export function authorise(entry: Entry, attempt: Attempt, world: Judge): Classification {
  const classification = classify(entry.capability, world.config.profile);
  attempt.classification = classification;
  if (!mayUse(attempt.caller.principal, entry.capability, classification)) {
    attempt.reach('resolve');
    throw notFound({ stage: 'authority', code: 'NotAllowed' });
  }
  return classification;
}

function validate(text: string, entry: Entry, world: Judge): unknown {
  const params = parseParams(text, world);
  const fault = world.schemas.validatorFor(entry.capability, 'parameters')(params);
  if (fault !== undefined) {
    throw new Refusal(
      'InvalidParams',
      `parameters do not match the schema at \`${fault.pointer}\` (${fault.keyword}): read the schema with List`,
    );
  }
  // A result schema that cannot be compiled has to show before something ran that it could not judge.
  world.schemas.validatorFor(entry.capability, 'returns');
  return params;
}

function parseParams(text: string, world: Judge): unknown {
  try {
    return parseStrictJson(Buffer.from(text, 'utf8'), world.config.params);
  } catch (error) {
    if (error instanceof KeyError)
      throw new Refusal(
        'InvalidParams',
        'parameters are not strict JSON: no repeated keys, no unsafe numbers, no lone surrogates',
      );
    throw error;
  }
}

function target(intent: Intent, entry: Entry, params: unknown, world: Judge): Targets {
  const targets = derive(entry, params, world);
  if (intent.target === undefined) return targets;
  const agrees = targets !== 'undetermined' && targets.some(({ value }) => value === intent.target);
  if (!agrees) {
    throw new Refusal(
      'TargetMismatch',
      'the target you named is not the one these parameters would touch: leave it out',
    );
  }
  return targets;
}

function derive(entry: Entry, params: unknown, world: Judge): Targets {
  try {
    return deriveTargets(entry.capability.targets, params, world.resolvePath);
  } catch (error) {
    if (error instanceof PolicyError)
      throw new Refusal('TargetInvalid', `${error.message} at \`${error.at}\``);
    throw error;
  }
}

/** The digest an approval of this is bound to; also the record's commitment to the parameters. */
export function digestOf(
  kind: ApprovedThing['kind'],
  entry: Entry,
  targets: Targets,
  canonicalParams: Uint8Array,
  attempt: Attempt,
  world: Judge,
): string {
  const digest = invocationDigest(
    {
      kind,
      capability: entry.capability.id,
      version: entry.capability.version,
      definitionDigest: entry.capability.digest,
      targets,
      canonicalParams,
      provider: entry.provider ?? 'builtin',
      caller: attempt.caller.connection,
    },
    world.mac,
  );
  attempt.digest = digest;
  return digest;
}

/** Asks the policy; a denial is a refusal. */
export function decideFor(
  entry: Entry,
  classification: Classification,
  targets: Targets,
  wishes: Pick<Question, 'requireApproval' | 'takenBackByPerson'>,
  attempt: Attempt,
  world: Judge,
): Decision {
  const { connection, principal } = attempt.caller;
  const { isSuspended, ...circumstances } = world.circumstances();
  const { capability, ...subject } = subjectOf(entry, classification, world.config);
  const decision = decide({
    ...circumstances,
    ...subject,
    ...wishes,
    principal,
    capability: { id: capability.id, appId: subject.appId, tier: subject.tier },
    targets,
    provider: world.standing(entry, targets),
    suspended: isSuspended(principal),
    deniedForSession: world.deniedForSession(connection, capability.id, targets),
  });
  if (decision.effect === 'deny') {
    attempt.decision = decision;
    throw denied(decision);
  }
  return decision;
}

/** An intelligence learns that it is denied, and what it can do about it; not which rule it was. */
function denied({ decider }: Decision): Refusal {
  switch (decider) {
    case 'suspended':
      return new Refusal('Suspended', 'the person at the desk has stopped you: wait until they resume you');
    case 'session-locked':
      return new Refusal(
        'SessionLocked',
        'the session is locked, so nobody can be asked: retry when it is not',
      );
    case 'denied-for-session':
      return new Refusal(
        'PersonDenied',
        'the person at the desk said no to this for as long as you are connected: do not ask again',
      );
    default:
      return new Refusal(
        'PolicyDenied',
        'policy denies this: do not retry, ask the person at the desk if it matters',
      );
  }
}
