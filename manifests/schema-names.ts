// SPDX-License-Identifier: Apache-2.0
import { isObject, type JsonObject } from './schema-keywords.ts';

/*
 * Questions about a schema that the walk has taken: references resolve, lead to no cycle, and expand within a budget.
 */

const IN_PLACE = ['allOf', 'anyOf', 'oneOf'] as const;

/** The schema and all that may apply to the same value beside it: its reference's target and its branches. */
export function alternatives(schema: JsonObject, root: JsonObject): readonly JsonObject[] {
  const branches = IN_PLACE.flatMap((keyword) => {
    const list = schema[keyword];
    return Array.isArray(list) ? list : [];
  });
  const parts = [...branches, resolve(schema.$ref, root)].filter(isObject);
  return [schema, ...parts.flatMap((part) => alternatives(part, root))];
}

function resolve(reference: unknown, root: JsonObject): unknown {
  if (typeof reference !== 'string') return undefined;
  const [, keyword = '', name = ''] = reference.split('/');
  return Reflect.get(Object(root[keyword]), name);
}

/** The names of parameters that a schema knows: nothing else may be passed, whether the schema says so or not. */
export function parameterNames(root: JsonObject): ReadonlySet<string> {
  return new Set(
    alternatives(root, root).flatMap(({ properties }) =>
      isObject(properties) ? Object.keys(properties) : [],
    ),
  );
}

/** Every property name that stands anywhere in a schema. What is not among them came from the value. */
export function allPropertyNames(schema: unknown, names: Set<string> = new Set()): ReadonlySet<string> {
  if (typeof schema !== 'object' || schema === null) return names;
  for (const [keyword, part] of Object.entries(schema)) {
    if (keyword === 'properties' && isObject(part)) for (const name of Object.keys(part)) names.add(name);
    allPropertyNames(part, names);
  }
  return names;
}
