// SPDX-License-Identifier: Apache-2.0
import { canonicalBytes } from '../../keys/canonical-json.ts';
import { type CapabilityRequest, parseCapabilityRequest } from '../../policy/capability-request.ts';
import { PolicyError } from '../../policy/error.ts';
import { parseGrantRequest, type WantedGrant } from '../../policy/grant.ts';
import type { PolicyLimits } from '../../policy/limits.ts';
import type { EarlierDecision } from '../approval/decisions.ts';
import { patternTexts } from './grant-form.ts';
import type { RequestRow, RequestState } from './request-rows.ts';

/** Nobody reads more before deciding, and it is kept for days. */
const MOST_BYTES = 64 * 1024;

/** An open request, as the person's tools are told. The fields of the request are the asker's words. */
export interface RequestView extends Readonly<Record<string, unknown>> {
  readonly id: string;
  readonly principal: string;
  readonly since: number;
  readonly expires_at: number;
  readonly state: RequestState;
  readonly earlier: readonly EarlierDecision[];
}

/** What a principal is told of its own request. */
export interface RequestStanding {
  readonly id: string;
  readonly capability: string;
  readonly state: RequestState;
  /** The person's words with a denial. */
  readonly note?: string;
}

export function requestView(row: RequestRow, earlier: readonly EarlierDecision[]): RequestView {
  const words: Readonly<Record<string, unknown>> = JSON.parse(row.body);
  return {
    ...words,
    id: row.id,
    principal: row.name,
    since: row.openedAt,
    expires_at: row.expiresAt,
    state: row.state,
    earlier,
  };
}

export function requestStanding(
  { id, state, note }: RequestRow,
  { capability }: CapabilityRequest,
): RequestStanding {
  return { id, capability, state, ...(note === undefined ? {} : { note }) };
}

/**
 * What somebody asks for, and the text it is stored and compared as. Refuses what could not be granted as it is.
 * @throws PolicyError `RequestInvalid` with the place; `GrantInvalid` for a name that stands for nobody in particular
 */
export function readRequest(
  name: string,
  value: unknown,
  limits: PolicyLimits,
  now: number,
): { readonly request: CapabilityRequest; readonly body: string } {
  const request = parseCapabilityRequest(value, limits);
  grantAskedFor(name, request, limits, now);
  const bytes = canonicalBytes(value);
  if (bytes.length > MOST_BYTES) {
    throw new PolicyError(
      'RequestInvalid',
      `the request is longer than ${MOST_BYTES} bytes: say it shorter`,
      '',
    );
  }
  return { request, body: new TextDecoder().decode(bytes) };
}

/** The grant that would be all of what was asked for. @throws PolicyError `GrantInvalid` */
export function grantAskedFor(
  principal: string,
  request: CapabilityRequest,
  limits: PolicyLimits,
  now: number,
): WantedGrant {
  const { capability, access, minutes, operations, reason } = request;
  const wanted = { principal, capability, ...patternTexts(request), access, minutes, operations, reason };
  return parseGrantRequest(wanted, limits, now);
}
