// SPDX-License-Identifier: Apache-2.0
import type { Access } from '../../policy/classify.ts';
import type { Grant, WantedGrant } from '../../policy/grant.ts';

/** A grant as `Grants` and the self-model tell it. */
export interface GrantView {
  readonly id: string;
  readonly kind: 'scoped' | 'session';
  readonly principal: string;
  readonly capability: string;
  readonly target?: string;
  readonly params: Readonly<Record<string, string>>;
  readonly access: Access;
  readonly expires_at: number;
  readonly operations_left?: number;
  readonly reason: string;
  readonly granted_by: string;
  readonly state: 'live';
}

export function grantView(grant: Grant, operationsLeft: number | undefined, grantedBy: string): GrantView {
  const { id, kind, principal, capability, access, expiresAt, reason } = grant;
  return {
    id,
    kind,
    principal,
    capability,
    ...patternTexts(grant),
    access,
    expires_at: expiresAt,
    ...(operationsLeft === undefined ? {} : { operations_left: operationsLeft }),
    reason,
    granted_by: grantedBy,
    state: 'live',
  };
}

/** The texts of the patterns, as they stand in JSON. */
export function patternTexts({ target, params }: Pick<WantedGrant, 'target' | 'params'>): {
  readonly target?: string;
  readonly params: Readonly<Record<string, string>>;
} {
  return {
    ...(target === undefined ? {} : { target: target.text }),
    params: Object.fromEntries(params.map(({ pointer, glob }) => [pointer, glob.text])),
  };
}
