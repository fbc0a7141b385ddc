// SPDX-License-Identifier: Apache-2.0
import type { Access } from '../../policy/classify.ts';
import type { Grant } from '../../policy/grant.ts';

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
  const { id, kind, principal, capability, target, access, expiresAt, reason } = grant;
  return {
    id,
    kind,
    principal,
    capability,
    ...(target === undefined ? {} : { target: target.text }),
    params: paramGlobs(grant),
    access,
    expires_at: expiresAt,
    ...(operationsLeft === undefined ? {} : { operations_left: operationsLeft }),
    reason,
    granted_by: grantedBy,
    state: 'live',
  };
}

/** The text of each glob by its JSON pointer. */
export function paramGlobs({ params }: Pick<Grant, 'params'>): Readonly<Record<string, string>> {
  return Object.fromEntries(params.map(({ pointer, glob }) => [pointer, glob.text]));
}
