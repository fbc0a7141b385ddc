// SPDX-License-Identifier: Apache-2.0
import { quote } from '../../keys/error.ts';
import { below } from '../../manifests/pointer.ts';
import { PolicyError } from '../../policy/error.ts';
import { narrows, parseGrantRequest, type WantedGrant } from '../../policy/grant.ts';
import type { PolicyLimits } from '../../policy/limits.ts';
import { patternTexts } from './grant-form.ts';

const MAY_NARROW = ['target', 'params', 'access', 'minutes', 'operations'];

/**
 * What is left of a grant under the fields that somebody gives: `target`, `params`, `access`, `minutes` from now and
 * `operations` from now, each the same or narrower. What is not given stays exactly as it is.
 *
 * @throws PolicyError `GrantInvalid` with the place, also for what would widen
 */
export function narrowed<G extends WantedGrant>(
  wider: G,
  given: unknown,
  limits: PolicyLimits,
  now: number,
): G {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new PolicyError('GrantInvalid', 'must be an object of what to narrow', '');
  }
  const unknown = Object.keys(given).find((key) => !MAY_NARROW.includes(key));
  if (unknown !== undefined) {
    throw new PolicyError(
      'GrantInvalid',
      `only ${MAY_NARROW.join(', ')} can be narrowed`,
      below('', unknown),
    );
  }
  const { principal, capability, access, reason } = wider;
  const read = parseGrantRequest(
    {
      principal,
      capability,
      ...patternTexts(wider),
      access,
      minutes: 1,
      operations: 1,
      reason,
      ...given,
    },
    limits,
    now,
  );
  const narrower: G = {
    ...wider,
    target: read.target,
    params: read.params,
    access: read.access,
    expiresAt: Object.hasOwn(given, 'minutes') ? read.expiresAt : wider.expiresAt,
    operations: Object.hasOwn(given, 'operations') ? read.operations : wider.operations,
  };
  const verdict = narrows(narrower, wider);
  if (verdict === true) return narrower;
  throw new PolicyError('GrantInvalid', `${quote(verdict.at)} can only become narrower`, verdict.at);
}
