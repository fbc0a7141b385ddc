// SPDX-License-Identifier: Apache-2.0
import { JsonFields } from '../../policy/json-fields.ts';

/** A person's answer to a request for a grant. */
export type RequestDecision =
  | { readonly decision: 'grant'; readonly narrowing: Readonly<Record<string, unknown>> }
  | { readonly decision: 'deny'; readonly note: string | undefined };

const MAX_NOTE = 500;

/**
 * Reads `{"decision": "grant", "grant": {...}}` or `{"decision": "deny", "note": "..."}`; both second fields may be left
 * out. What narrows a grant is read with the grant.
 * @throws PolicyError `RequestInvalid` with the place
 */
export function parseRequestDecision(value: unknown): RequestDecision {
  const fields = new JsonFields(value, 'RequestInvalid');
  const decision = fields.oneOf('decision', ['grant', 'deny']);
  const read: RequestDecision =
    decision === 'grant'
      ? { decision, narrowing: fields.has('grant') ? Object.fromEntries(fields.members('grant')) : {} }
      : { decision, note: fields.has('note') ? fields.text('note', MAX_NOTE) : undefined };
  fields.done();
  return read;
}
