// SPDX-License-Identifier: Apache-2.0
import type { CapabilityRequest } from '../../policy/capability-request.ts';
import type { EarlierDecision } from '../approval/decisions.ts';
import { paramGlobs } from './grant-form.ts';
import type { RequestRow, RequestState } from './request-rows.ts';

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

/** The JSON of the grant that would be all of what was asked for. */
export function grantAskedFor(
  { name }: RequestRow,
  request: CapabilityRequest,
): Readonly<Record<string, unknown>> {
  const { capability, target, access, minutes, operations, reason } = request;
  return {
    principal: name,
    capability,
    ...(target === undefined ? {} : { target: target.text }),
    params: paramGlobs(request),
    access,
    minutes,
    operations,
    reason,
  };
}
