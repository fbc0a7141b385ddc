// SPDX-License-Identifier: Apache-2.0
import type { Capability } from '../manifests/capability.ts';
import type { Classification, Profile } from './classify.ts';
import type { ProviderStanding } from './decide.ts';
import type { OpenQuestion } from './outlook.ts';
import type { Principal } from './principal.ts';
import type { RuleSet } from './rule-set.ts';

/** A capability as it stands now, whoever may ask for it. */
export interface Subject {
  readonly capability: Capability;
  readonly appId: string | undefined;
  readonly tier: 1 | 2 | 'builtin';
  readonly classification: Classification;
  readonly provider: ProviderStanding;
  /** Switched off by the configuration. */
  readonly locked: boolean;
  readonly enabled: boolean;
}

/** What holds at one moment, whoever asks for what. */
export interface Circumstances {
  readonly rules: RuleSet;
  readonly profile: Profile;
  /** 0 to 23. */
  readonly localHour: number;
  readonly sessionLocked: boolean;
  readonly allowedWhileLocked: readonly string[];
  readonly isSuspended: (principal: Pick<Principal, 'id' | 'name'>) => boolean;
}

/** Whether somebody may do something, without an occasion: nobody wants approval, and nothing is taken back. */
export function standingQuestion(
  { id, name }: Pick<Principal, 'id' | 'name'>,
  { capability, appId, tier, classification, provider, locked, enabled }: Subject,
  { isSuspended, ...circumstances }: Circumstances,
): OpenQuestion {
  return {
    ...circumstances,
    principal: { id, name },
    capability: { id: capability.id, appId, tier },
    classification,
    provider,
    locked,
    enabled,
    declaresTargets: capability.targets.length > 0,
    suspended: isSuspended({ id, name }),
    requireApproval: false,
    takenBackByPerson: false,
    deniedForSession: false,
  };
}
