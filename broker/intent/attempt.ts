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
    const { entry, classification, origin } = this;
    const event: Writable = {
      type,
      time: now,
      invocation: this.invocation,
      ...who(this.caller.principal),
      stage: this.stage,
      profile: this.profile,
      durationMs: Math.max(0, now - this.startedAt),
    };
    // What does not resolve is only the caller's text, and the record holds none of that.
    if (entry !== undefined) {
      if (entry.appId !== undefined) event.appId = entry.appId;
      event.capability = entry.capability.id;
      event.version = entry.capability.version;
    }
    if (classification !== undefined) event.classification = recordedClass(classification);
    if (this.digest !== undefined) event.commitment = this.digest;
    if (this.paramsBytes !== undefined) event.paramsSize = this.paramsBytes;
    if (this.decider !== undefined) event.decider = this.decider;
    if (origin !== undefined) event.origin = origin;
    if (this.hold !== undefined) event.grant = this.hold.grant;
    if (this.decision !== undefined) addDecision(event, this.decision);
    return Object.assign(event, more);
  }
}

type Writable = { -readonly [field in keyof AuditEvent]: AuditEvent[field] };

function addDecision(event: Writable, decision: Decision): void {
  const { effect, rule, decider, considered, consideredCount } = decision;
  event.effect = effect;
  event.rule = rule?.id ?? decider;
  if (rule !== undefined) event.specificity = rule.specificity;
  if (consideredCount > 0) {
    event.considered = considered;
    event.consideredCount = consideredCount;
  }
}

function recordedClass({ sideEffects, access, network, risk, gate }: Classification) {
  return { sideEffects, access, network, risk, gate };
}
