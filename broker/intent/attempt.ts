// SPDX-License-Identifier: Apache-2.0
import type { Entry } from '../../manifests/registry.ts';
import type { Classification, Profile } from '../../policy/classify.ts';
import type { Decision } from '../../policy/decide.ts';
import type { AuditEvent, AuditType } from '../audit/event.ts';
import { who } from '../audit/who.ts';
import type { Hold } from '../grant/hold.ts';
import type { Principal } from '../identity/principal.ts';
import type { Stage } from './stage.ts';

/** Who made the call, as bus and kernel say; fixed for the life of the attempt. */
export interface Caller {
  /** The caller's unique bus name. */
  readonly connection: string;
  readonly principal: Principal;
  /** The epoch the caller last listed: what came later it has not seen, so it cannot mean it. */
  readonly epoch: number;
}

/** One intent on its way: how far it came and what is known of it. The record is written from here and nowhere else. */
export class Attempt {
  readonly invocation: string;
  readonly caller: Caller;
  readonly signal: AbortSignal;
  readonly startedAt: number;
  stage: Stage = 'context';
  entry: Entry | undefined;
  classification: Classification | undefined;
  /** The keyed digest of exactly what would run. */
  digest: string | undefined;
  paramsBytes: number | undefined;
  decider: string | undefined;
  /** What policy said, until that is on record: each decision is recorded once, before anything runs. */
  decision: Decision | undefined;
  /** The use of a grant that answers in the person's place. */
  hold: Hold | undefined;
  /** The Request object at which the caller waits; undefined where it has none. */
  readonly requestPath: string | undefined;
  readonly origin: string | undefined;
  readonly profile: Profile;

  constructor(start: {
    invocation: string;
    caller: Caller;
    signal: AbortSignal;
    startedAt: number;
    origin: string | undefined;
    profile: Profile;
    requestPath?: string | undefined;
  }) {
    this.invocation = start.invocation;
    this.caller = start.caller;
    this.signal = start.signal;
    this.startedAt = start.startedAt;
    this.origin = start.origin;
    this.profile = start.profile;
    this.requestPath = start.requestPath;
  }

  /** One like it, for looking ahead without a trace in this one. */
  probe(): Attempt {
    return new Attempt(this);
  }

  reach(stage: Stage): void {
    this.stage = stage;
  }

  /** The record of this attempt as it stands: who, what and how far; never a parameter or a result. */
  event(type: AuditType, now: number, more: Partial<AuditEvent> = {}): AuditEvent {
    const capability = this.entry?.capability;
    return {
      type,
      time: now,
      invocation: this.invocation,
      ...who(this.caller.principal),
      stage: this.stage,
      profile: this.profile,
      durationMs: Math.max(0, now - this.startedAt),
      ...present({
        appId: this.entry?.appId,
        // What does not resolve is only the caller's text, and the record holds none of that.
        capability: capability?.id,
        version: capability?.version,
        classification: this.classification && recordedClass(this.classification),
        commitment: this.digest,
        paramsSize: this.paramsBytes,
        decider: this.decider,
        origin: this.origin,
        grant: this.hold?.grant,
        ...recordedDecision(this.decision),
      }),
      ...more,
    };
  }
}

/** The entries that have a value. */
function present<T extends Record<string, unknown>>(
  fields: T,
): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

function recordedDecision(decision: Decision | undefined) {
  return {
    effect: decision?.effect,
    rule: decision?.rule?.id ?? decision?.decider,
    specificity: decision?.rule?.specificity,
    considered: decision?.considered,
    consideredCount: decision?.consideredCount,
  };
}

function recordedClass({ sideEffects, access, network, risk, gate }: Classification) {
  return { sideEffects, access, network, risk, gate };
}
