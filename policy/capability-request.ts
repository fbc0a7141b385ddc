// SPDX-License-Identifier: Apache-2.0
import type { Access } from './classify.ts';
import type { Glob } from './glob.ts';
import {
  type ParamBound,
  readAccess,
  readMinutes,
  readOperations,
  readParams,
  readTarget,
} from './grant-bounds.ts';
import { JsonFields } from './json-fields.ts';
import type { PolicyLimits } from './limits.ts';

/** What an intelligence asks to be granted. All of it is the asker's word, shown to the person as such. */
export interface CapabilityRequest {
  readonly capability: string;
  readonly target: Glob | undefined;
  readonly params: readonly ParamBound[];
  readonly access: Access;
  /** From when it is granted. */
  readonly minutes: number;
  readonly operations: number;
  readonly reason: string;
  readonly evidence: readonly string[];
  /** What could go wrong, what is done against it, and what happens without the grant. */
  readonly risk: string | undefined;
  readonly mitigation: string | undefined;
  readonly fallback: string | undefined;
  readonly alternatives: readonly string[];
  /** A label: requests of one intention stand together. */
  readonly intention: string | undefined;
}

/**
 * Reads a request. Nothing in it says who asks.
 * @throws PolicyError `RequestInvalid` with the place
 */
export function parseCapabilityRequest(value: unknown, limits: PolicyLimits): CapabilityRequest {
  const fields = new JsonFields(value, 'RequestInvalid');
  const optional = (key: string, most: number): string | undefined =>
    fields.has(key) ? fields.text(key, most) : undefined;
  const list = (key: string): readonly string[] =>
    fields.has(key) ? fields.texts(key, { count: limits.maxTexts, length: limits.maxText }) : [];
  const request: CapabilityRequest = {
    capability: fields.text('capability', limits.maxId),
    target: readTarget(fields, limits),
    params: readParams(fields, limits),
    access: readAccess(fields),
    minutes: readMinutes(fields),
    operations: readOperations(fields),
    reason: fields.text('reason', limits.maxReason),
    evidence: list('evidence'),
    risk: optional('risk', limits.maxText),
    mitigation: optional('mitigation', limits.maxText),
    fallback: optional('fallback', limits.maxText),
    alternatives: list('alternatives'),
    intention: optional('intention', limits.maxId),
  };
  fields.done();
  return request;
}
