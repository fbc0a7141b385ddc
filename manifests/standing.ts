// SPDX-License-Identifier: Apache-2.0
import type { AppId } from '../keys/app-id.ts';
import type { Capability, CapabilityId } from './capability.ts';
import type { EventDeclaration, Manifest } from './manifest.ts';

/** Counts the states of the registry, from 0. */
export type Epoch = number;

/** A capability that can be called now. */
export interface Entry {
  readonly capability: Capability;
  readonly source: 'builtin' | 'app';
  readonly appId: AppId | undefined;
  readonly keyFingerprint: string | undefined;
  /** The unique bus name to invoke; undefined for the broker's own, and for an app that is not running. */
  readonly provider: string | undefined;
  /** The epoch in which this exact definition first became available; kept when the same definition comes back. */
  readonly since: Epoch;
}

/** Why an app is in Tier 2. */
export interface Reason {
  /** A `ManifestErrorCode`, or the broker's own reason for an app it cannot serve. */
  readonly code: string;
  readonly pointer: string;
  readonly message: string;
}

export interface Registration {
  readonly manifest: Manifest;
  /** Undefined only where unsigned manifests are allowed. */
  readonly keyFingerprint: string | undefined;
  /** Undefined for an installed app that is not running. */
  readonly provider: string | undefined;
  /** How strongly the provider is known to be the app; kept here, not judged. */
  readonly binding: string;
}

export interface Refusal {
  readonly appId: AppId;
  readonly provider: string | undefined;
  readonly binding: string;
  /** Against whom the entry counts, where many of them are refused; undefined for what was verified once. */
  readonly owner?: string;
  readonly reason: Reason;
}

/** How an app stands: Tier 1 with what it declared, or Tier 2 with the reason and nothing declared. */
export interface AppStanding {
  readonly appId: AppId;
  readonly tier: 1 | 2;
  readonly reason?: Reason;
  readonly provider: string | undefined;
  readonly binding: string;
  readonly capabilities: readonly CapabilityId[];
  readonly events: readonly EventDeclaration[];
}

/** What a step did. A capability whose definition changed is in both lists. */
export interface Change {
  readonly epoch: Epoch;
  readonly added: readonly Entry[];
  readonly removed: readonly Entry[];
  /** The app it was about; undefined when nothing happened. */
  readonly app: AppId | undefined;
}
