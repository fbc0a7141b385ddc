// SPDX-License-Identifier: Apache-2.0
import { quote } from '../keys/error.ts';
import type { TargetDeclaration } from './capability.ts';
import { ManifestError } from './error.ts';
import { below, pointerTokens } from './pointer.ts';
import { isObject, type JsonObject } from './schema-keywords.ts';
import { alternatives } from './schema-names.ts';

const INDEX = /^(?:0|[1-9][0-9]*)$/;

/**
 * Checks which parameters are the policy target. A pointer that no valid parameters can hold would leave every
 * invocation without a target. The schema has to be one that `checkParametersSchema` took.
 * Throws TargetInvalid or TooMany.
 */
export function parseTargets(
  raw: readonly TargetDeclaration[] | undefined,
  parameters: JsonObject,
  pointer: string,
  maxTargets: number,
): readonly TargetDeclaration[] {
  const targets = raw ?? [];
  if (targets.length > maxTargets) {
    throw new ManifestError('TooMany', pointer, `there are over ${maxTargets} targets: declare fewer`);
  }
  const seen = new Set<string>();
  for (const [index, { parameter }] of targets.entries()) {
    const at = below(below(pointer, index), 'parameter');
    const refuse = (what: string): never => {
      throw new ManifestError('TargetInvalid', at, `the target ${quote(parameter)} ${what}`);
    };
    const tokens = pointerTokens(parameter);
    if (tokens === undefined) return refuse('is no JSON pointer to a parameter: write it like `/path`');
    if (seen.has(parameter)) refuse('is declared twice: remove one');
    if (!reaches(parameters, tokens, parameters)) {
      refuse('is not among the parameters: point at one that their schema has');
    }
    seen.add(parameter);
  }
  return targets;
}

/** Whether some value could stand at `tokens` below `schema`. Where the schema does not say, the answer is yes. */
function reaches(schema: unknown, tokens: readonly string[], root: JsonObject): boolean {
  const [token, ...rest] = tokens;
  if (token === undefined) return schema !== false;
  if (!isObject(schema)) return schema === true;
  const parts = alternatives(schema, root);
  const next = parts.flatMap((part) =>
    [part.properties, INDEX.test(token) && { [token]: part.items }].filter(isObject),
  );
  const named = next.flatMap((places) =>
    Object.hasOwn(places, token) && places[token] !== undefined ? [places[token]] : [],
  );
  if (named.length > 0) return named.some((part) => reaches(part, rest, root));
  // Parameters have known names only, whatever their schema says; elsewhere a schema is open unless it closes itself.
  return schema !== root && parts.every((part) => isOpen(part, token));
}

function isOpen({ type, additionalProperties, items }: JsonObject, token: string): boolean {
  const may = (kind: string): boolean => type === undefined || [type].flat().includes(kind);
  return (
    (may('object') && additionalProperties !== false) ||
    (may('array') && items === undefined && INDEX.test(token))
  );
}
