// SPDX-License-Identifier: Apache-2.0
import type { AppId } from '../keys/app-id.ts';
import type { Keyring } from '../keys/keyring.ts';
import type { Entry, Registry } from '../manifests/registry.ts';
import type { SchemaCache } from '../manifests/schema-cache.ts';
import type { Mac } from '../policy/approval.ts';
import type { ProviderStanding } from '../policy/decide.ts';
import type { PolicyLimits } from '../policy/limits.ts';
import type { Circumstances } from '../policy/standing-question.ts';
import type { ResolvePath, Targets } from '../policy/target.ts';
import type { ApprovalDesk } from './approval/desk.ts';
import type { Recorder } from './audit/records.ts';
import type { BrokerConfig } from './config.ts';
import type { Ledger } from './grant/ledger.ts';
import type { Allowances } from './intent/allowance.ts';
import type { Undos } from './intent/undo.ts';
import type { Providers } from './provider/providers.ts';

/** What judging an intent needs. Nothing in here can make anything happen to an app. */
export interface Judge {
  readonly config: BrokerConfig;
  readonly mac: Mac;
  readonly resolvePath: ResolvePath;
  readonly registry: Pick<Registry, 'resolve' | 'list'>;
  readonly keyring: Pick<Keyring, 'isTrusted'>;
  readonly schemas: Pick<SchemaCache, 'validatorFor'>;
  /** How well the process behind a capability is known. */
  readonly standing: (entry: Entry, targets: Targets) => ProviderStanding;
  /** What holds at this moment, whoever asks for what. */
  readonly circumstances: () => Circumstances;
  /** Whether the person denied this to this connection for as long as it lasts. */
  readonly deniedForSession: (connection: string, capability: string, targets: Targets) => boolean;
  /** Called when an app's key is no longer trusted: what it verified is withdrawn at once. */
  readonly keyWithdrawn: (appId: AppId) => void;
}

/**
 * Everything the path needs from outside itself. One value, made in `start.ts`, handed down; tests make their own.
 * Nothing that decides is global.
 */
export interface World extends Judge {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly records: Recorder;
  readonly allowances: Allowances;
  readonly desk: Pick<ApprovalDesk, 'ask' | 'resume' | 'starting' | 'ending' | 'ended'>;
  readonly grants: Pick<Ledger, 'hold' | 'openSession'>;
  readonly policyLimits: PolicyLimits;
  /** A fresh UUID. */
  readonly newId: () => string;
  readonly providers: Pick<Providers, 'run' | 'brokeBound' | 'binding'>;
  readonly undos: Undos;
  /** A fault that must not leave the process in detail: logs it and returns the opaque id that may. */
  readonly fault: (error: unknown) => string;
}
