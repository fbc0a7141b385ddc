// SPDX-License-Identifier: Apache-2.0
import type { JsonLimits } from '../keys/strict-json.ts';
import type { ManifestLimits } from '../manifests/limits.ts';
import type { Profile } from '../policy/classify.ts';
import type { PolicyLimits } from '../policy/limits.ts';
import type { ConfirmLimits } from './approval/confirmers.ts';
import type { RequestLimits } from './grant/capability-requests.ts';
import type { GrantLimits } from './grant/ledger.ts';
import type { PrincipalConfig } from './identity/principal.ts';
import type { AllowanceLimits } from './intent/allowance.ts';

/** How much one peer may hold, so that no peer can take the service from the others. */
export interface Quotas {
  /** Requests of one connection that have no outcome yet. */
  readonly requestsPerConnection: number;
  /** Requests of all peers of one uid that no configuration names. */
  readonly requestsOfUnmatched: number;
  /** Running providers. */
  readonly providers: number;
  /** Subscriptions of one connection. */
  readonly subscriptions: number;
  /** Events of one app in one second. */
  readonly eventsPerSecond: number;
  /** Bytes of one event's payload. */
  readonly eventBytes: number;
  /** Questions to the person that one principal has open. */
  readonly questionsPerPrincipal: number;
  /** Questions to the person that all have open. */
  readonly questions: number;
  /** Undo windows of one app open at once. */
  readonly undos: number;
  /** Bytes of outcomes that are kept for whoever lost the connection. */
  readonly outcomeBytes: number;
  /** Work that one process may cause at once, in units of a call or 16 KiB of it or of its answer. */
  readonly workAtOnce: number;
  /** Units of work that a process earns back in a second. */
  readonly workPerSecond: number;
  /** Refusals of one principal for one reason that are recorded one by one in a minute; the rest as one with a count. */
  readonly refusalsPerMinute: number;
  /** Broken bounds that put a provider out of service. */
  readonly strikes: number;
}

/** For developing without root, on a private bus: what the launcher started is bound, and unsigned manifests are accepted. */
export interface DevelopmentConfig {
  readonly acceptUnsigned: boolean;
  readonly launcher: { readonly pid: number; readonly startTime: string };
}

/** Where policy files are; a directory that is not there holds none. */
export interface PolicyPlaces {
  /** The administrator's; absolute. */
  readonly directory: string;
  /** The user's, whose rules only tighten; absolute. Undefined: the usual place of the user that the broker runs as. */
  readonly userDirectory: string | undefined;
}

/** How a person's tool proves that the person is there before it widens what somebody may do. */
export interface DecideConfig {
  /** Has polkit authenticate the person; without it the tool's process is enough. */
  readonly polkit: boolean;
  /** How long the person may take to authenticate, in milliseconds. */
  readonly timeoutMs: number;
}

export interface BrokerConfig {
  /** Directories of `{app_id}.pub`; the first that holds a key for an app decides for it. */
  readonly trustedDirectories: readonly string[];
  readonly revokedFile: string;
  /** Uids that may own what trust rests on; root always may. */
  readonly owners: readonly number[];
  /** Absolute; 0700. */
  readonly storeDirectory: string;
  readonly profile: Profile;
  readonly principals: readonly PrincipalConfig[];
  /** Ids of capabilities that are switched off, whatever else says otherwise. */
  readonly locked: readonly string[];
  /** Ids of the broker's own capabilities that may reach outside this machine. */
  readonly enabledExternal: readonly string[];
  /** Ids of capabilities that run while the person's session is locked, beside reads of this machine. */
  readonly allowedWhileLocked: readonly string[];
  readonly policy: PolicyPlaces;
  readonly decide: DecideConfig;
  readonly development: DevelopmentConfig | undefined;
  /** Days that records are kept. */
  readonly retentionDays: number;
  readonly confirm: ConfirmLimits;
  readonly grants: GrantLimits;
  readonly requests: RequestLimits;
  readonly turns: AllowanceLimits;
  readonly quotas: Quotas;
  readonly params: JsonLimits;
  readonly manifests: ManifestLimits;
  readonly policyLimits: PolicyLimits;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const KIB = 1024;
const MIB = 1024 * KIB;

export const DEFAULTS: Omit<BrokerConfig, 'storeDirectory'> = {
  trustedDirectories: ['/etc/portal/keys/trusted', '/usr/share/portal/keys/trusted'],
  revokedFile: '/etc/portal/keys/revoked',
  owners: [],
  profile: 'standard',
  principals: [],
  locked: [],
  enabledExternal: [],
  allowedWhileLocked: [],
  policy: { directory: '/etc/portal/policy.d', userDirectory: undefined },
  decide: { polkit: true, timeoutMs: 2 * MINUTE_MS },
  development: undefined,
  retentionDays: 90,
  confirm: {
    deadlineMs: 2 * MINUTE_MS,
    armingMs: 500,
    reofferMs: 10_000,
    gatherMs: 50,
    laterMs: DAY_MS,
  },
  grants: { perPrincipal: 100, sessions: 100 },
  requests: { openPerPrincipal: 5, openMs: 7 * DAY_MS, endedMs: DAY_MS },
  turns: { turnMs: MINUTE_MS, namedTurnMs: 60 * MINUTE_MS, maxCounters: 2000 },
  quotas: {
    requestsPerConnection: 256,
    requestsOfUnmatched: 64,
    providers: 256,
    subscriptions: 64,
    eventsPerSecond: 20,
    eventBytes: 16 * KIB,
    questionsPerPrincipal: 16,
    questions: 64,
    undos: 64,
    outcomeBytes: 4 * MIB,
    workAtOnce: 1024,
    workPerSecond: 128,
    refusalsPerMinute: 20,
    strikes: 5,
  },
  params: { maxBytes: MIB, maxDepth: 32 },
  policyLimits: {
    maxRules: 10_000,
    maxGlobLength: 4096,
    maxExpansion: 1000,
    maxReason: 500,
    maxId: 255,
    maxText: 2000,
    maxTexts: 20,
    maxParamBounds: 20,
  },
  manifests: {
    maxBytes: 512 * KIB,
    maxDepth: 32,
    maxCapabilities: 1000,
    maxEvents: 100,
    maxLocales: 50,
    maxTargets: 16,
    maxNameLength: 128,
    maxDescriptionLength: 4096,
    ceilings: {
      timeoutMs: 10 * MINUTE_MS,
      maxResultBytes: MIB,
      maxInvocationsPerTurn: 100,
      undoWindowMs: 24 * 60 * MINUTE_MS,
    },
    defaults: { timeoutMs: MINUTE_MS, maxResultBytes: 64 * KIB, readsPerTurn: 50, writesPerTurn: 10 },
    schema: {
      maxNodes: 1500,
      maxDepth: 16,
      maxExpansion: 2000,
      maxBranches: 64,
      maxEnum: 200,
      maxPatternLength: 256,
      maxUniqueItems: 100,
    },
  },
};
