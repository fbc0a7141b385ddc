// SPDX-License-Identifier: Apache-2.0
import type { SchemaBudget } from './limits.ts';
import { below } from './pointer.ts';
import {
  ANNOTATIONS,
  type Cost,
  isObject,
  type JsonObject,
  KEYWORDS,
  type KeywordCheck,
  ROOT_KEYWORDS,
  refuse,
  type Walk,
} from './schema-keywords.ts';

/*
 * Schemas come from outside, and a JSON Schema can be a bomb: nested choices that take minutes to compile, references
 * that double at each step, patterns that backtrack, addresses to fetch. So the dialect is a list of what is allowed,
 * every keyword's own value is checked, and the cost is counted before anything is compiled. All of it is linear.
 */

/**
 * Refuses a schema outside the dialect or over the budget. `pointer` is where the schema stands in its document.
 * Throws ParameterSchemaRefused with the pointer of the offending place.
 */
export function checkSchema(schema: unknown, pointer: string, budget: SchemaBudget): void {
  if (!isObject(schema)) refuse(pointer, 'is not an object: write a JSON Schema as an object');
  new SchemaWalk(schema, pointer, budget).check();
}

/** The same for the parameters of a capability, which are an object with a known set of names, whatever it says. */
export function checkParametersSchema(schema: JsonObject, pointer: string, budget: SchemaBudget): void {
  checkSchema(schema, pointer, budget);
  if (schema.type !== undefined && schema.type !== 'object') {
    refuse(
      below(pointer, 'type'),
      'describes something else than an object: parameters are one, write `object`',
    );
  }
  if (schema.additionalProperties !== undefined && schema.additionalProperties !== false) {
    const at = below(pointer, 'additionalProperties');
    refuse(at, 'admits unnamed parameters, which are always rejected: list each one under `properties`');
  }
}

const REFERENCE = /^#\/(definitions|\$defs)\/(.+)$/;
const ONE: Cost = { subschemas: 1, branches: 0, depth: 1 };

class SchemaWalk implements Walk {
  readonly budget: SchemaBudget;
  readonly #root: JsonObject;
  readonly #pointer: string;
  // Definitions by `keyword/name`; one that is being walked is `open`, so that meeting it again shows a cycle.
  readonly #definitions = new Map<string, Cost | 'open'>();
  #nodes = 0;

  constructor(root: JsonObject, pointer: string, budget: SchemaBudget) {
    this.budget = budget;
    this.#root = root;
    this.#pointer = pointer;
  }

  check(): void {
    this.subschema(this.#root, this.#pointer, 1);
    for (const keyword of ['definitions', '$defs']) {
      const byName = this.#root[keyword];
      for (const name of isObject(byName) ? Object.keys(byName) : []) this.#definition(keyword, name, 1);
    }
  }

  subschema(schema: unknown, at: string, depth: number): Cost {
    this.#count(at);
    this.#checkDepth(at, depth);
    if (typeof schema === 'boolean') return ONE;
    if (!isObject(schema)) return refuse(at, 'is neither an object nor a boolean: write a JSON Schema');
    if (Object.hasOwn(schema, '$ref')) return this.#reference(schema, at, depth);
    const costs: Cost[] = [];
    for (const keyword of Object.keys(schema)) {
      const place = below(at, keyword);
      const check = this.#lookUp(KEYWORDS, keyword, schema, place);
      for (const cost of check(schema[keyword], place, depth, this, schema)) costs.push(cost);
    }
    return this.#sum(costs, at);
  }

  json(value: unknown, at: string, depth: number): void {
    this.#count(at);
    if (typeof value !== 'object' || value === null) return;
    this.#checkDepth(at, depth);
    for (const part of Object.values(value)) this.json(part, at, depth + 1);
  }

  #lookUp(
    allowed: ReadonlyMap<string, KeywordCheck>,
    keyword: string,
    schema: JsonObject,
    at: string,
  ): KeywordCheck {
    const check = allowed.get(keyword) ?? (schema === this.#root ? ROOT_KEYWORDS.get(keyword) : undefined);
    if (check) return check;
    if (KEYWORDS.has(keyword))
      return refuse(at, 'stands beside `$ref`, where drafts disagree on it: put both in `allOf`');
    return refuse(at, 'is a keyword outside the dialect: see the table in manifests/README.md');
  }

  #reference(schema: JsonObject, at: string, depth: number): Cost {
    for (const [keyword, value] of Object.entries(schema)) {
      if (keyword === '$ref') continue;
      const place = below(at, keyword);
      this.#lookUp(ANNOTATIONS, keyword, schema, place)(value, place, depth, this, schema);
    }
    const place = below(at, '$ref');
    const { $ref } = schema;
    const [, keyword, name] = (typeof $ref === 'string' && REFERENCE.exec($ref)) || [];
    const target = keyword && name ? this.#definition(keyword, name, depth + 1) : undefined;
    if (target === undefined) {
      return refuse(
        place,
        'names no definition of this schema: write `#/definitions/name` or `#/$defs/name`',
      );
    }
    if (target === 'open')
      return refuse(place, 'leads back to itself: unroll it to the depth that is needed');
    this.#checkDepth(place, depth + target.depth);
    return this.#sum([target], at);
  }

  #definition(keyword: string, name: string, depth: number): Cost | 'open' | undefined {
    const key = `${keyword}/${name}`;
    const known = this.#definitions.get(key);
    if (known !== undefined) return known;
    const byName = this.#root[keyword];
    if (!isObject(byName) || !Object.hasOwn(byName, name)) return undefined;
    this.#definitions.set(key, 'open');
    const cost = this.subschema(byName[name], below(below(this.#pointer, keyword), name), depth);
    this.#definitions.set(key, cost);
    return cost;
  }

  #count(at: string): void {
    this.#nodes += 1;
    if (this.#nodes > this.budget.maxNodes)
      refuse(at, `has over ${this.budget.maxNodes} values: make it smaller`);
  }

  #checkDepth(at: string, depth: number): void {
    if (depth > this.budget.maxDepth) refuse(at, `is nested over ${this.budget.maxDepth} levels: flatten it`);
  }

  #sum(parts: readonly Cost[], at: string): Cost {
    const sum = { ...ONE };
    for (const part of parts) {
      sum.subschemas += part.subschemas;
      sum.branches += part.branches;
      sum.depth = Math.max(sum.depth, part.depth + 1);
    }
    const { maxExpansion, maxBranches } = this.budget;
    if (sum.subschemas > maxExpansion)
      refuse(at, `expands to over ${maxExpansion} subschemas: make it smaller`);
    if (sum.branches > maxBranches) refuse(at, `has over ${maxBranches} alternatives: make it smaller`);
    return sum;
  }
}
