// SPDX-License-Identifier: Apache-2.0
import type { TargetDeclaration } from '../../manifests/capability.ts';
import { JsonFields } from '../../policy/json-fields.ts';

/** A person's answer to a request for a grant. */
export type RequestDecision =
  | { readonly decision: 'grant'; readonly narrowing: unknown }
  | { readonly decision: 'deny'; readonly note: string | undefined };

/** The capability's present definition. Throws what is to be answered where there is none. */
export type DefinitionOf = (capability: string) => {
  readonly digest: string;
  readonly targets: readonly TargetDeclaration[];
};

/** Who decides. Granting widens, so it takes a person who can be named; asked for only then. */
export interface RequestDeciders {
  readonly denying: string;
  readonly granting: () => Promise<string>;
}

const MAX_NOTE = 500;

/**
 * Reads `{"decision": "grant", "grant": {...}}` or `{"decision": "deny", "note": "..."}`; both second fields may be left
 * out. What narrows a grant is read with the grant.
 * @throws PolicyError `RequestInvalid` with the place
 */
export function parseRequestDecision(value: unknown): RequestDecision {
  const { grant: narrowing = {}, ...rest } = Object(value) as Readonly<Record<string, unknown>>;
  const fields = new JsonFields(rest.decision === 'grant' ? rest : value, 'RequestInvalid');
  const decision = fields.oneOf('decision', ['grant', 'deny']);
  const note = decision === 'deny' && fields.has('note') ? fields.text('note', MAX_NOTE) : undefined;
  fields.done();
  return decision === 'grant' ? { decision, narrowing } : { decision, note };
}
