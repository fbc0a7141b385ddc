// SPDX-License-Identifier: Apache-2.0
import type { Grant, WantedGrant } from '../../policy/grant.ts';
import { type GrantView, grantView } from './grant-form.ts';

/** A grant in memory, and what became of it so far. */
export interface Entry {
  grant: Grant;
  readonly grantedBy: string;
  /** Uses that are on record. */
  used: number;
  /** Uses taken for intents that are not on record yet. */
  held: number;
  /** Only a live one answers for anybody. `opening`: not on record yet. `closing`: about to be removed. */
  phase: 'opening' | 'live' | 'closing';
}

/** Counted ones have a number; a session grant answers as often as it is asked. */
export function operationsOf({ operations }: Pick<Grant, 'operations'>): number {
  return operations ?? Number.POSITIVE_INFINITY;
}

/** How often it can still be taken. */
export function leftOf({ grant, used, held }: Entry): number {
  return operationsOf(grant) - used - held;
}

export function answers(entry: Entry): boolean {
  return entry.phase === 'live' && leftOf(entry) > 0;
}

/** Uses that are merely held may come back. */
export function isLive({ grant, used, phase }: Entry, now: number): boolean {
  return phase === 'live' && now < grant.expiresAt && used < operationsOf(grant);
}

export function isBefore(a: Grant, b: Grant): boolean {
  return a.kind === b.kind ? a.expiresAt < b.expiresAt : a.kind === 'session';
}

export function viewOf(entry: Entry): GrantView {
  const left = entry.grant.kind === 'scoped' ? leftOf(entry) : undefined;
  return grantView(entry.grant, left, entry.grantedBy);
}

/** What is wanted, bound to the capability's definition with this digest. */
export function scopedGrant(id: string, wanted: WantedGrant, definitionDigest: string): Grant {
  return { ...wanted, id, kind: 'scoped', definitionDigest, session: undefined };
}
