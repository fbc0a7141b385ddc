// SPDX-License-Identifier: Apache-2.0
import { quote } from '../keys/error.ts';
import { ManifestError } from './error.ts';
import { FORMATS } from './format.ts';
import type { SchemaBudget } from './limits.ts';
import { patternFault } from './pattern.ts';
import { below } from './pointer.ts';

/** What a subschema costs with its references followed. */
export interface Cost {
  readonly subschemas: number;
  readonly branches: number;
  readonly depth: number;
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** What a keyword's check may ask of the walk over the schema around it. */
export interface Walk {
  readonly budget: SchemaBudget;
  /** Checks a subschema and tells its cost. */
  subschema(schema: unknown, at: string, depth: number): Cost;
  /** Counts the values of plain JSON against the budget. */
  json(value: unknown, at: string, depth: number): void;
}

/** Checks one keyword's value, found at `at` in `schema`; returns the cost of each subschema below it. */
export type KeywordCheck = (
  value: unknown,
  at: string,
  depth: number,
  walk: Walk,
  schema: JsonObject,
) => readonly Cost[];

/** Refuses the schema at `at`. */
export function refuse(at: string, what: string): never {
  throw new ManifestError('ParameterSchemaRefused', at, `the schema at ${quote(at)} ${what}`);
}

/** A JSON object, as opposed to an array or null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const NO_SUBSCHEMA: readonly Cost[] = [];
const TYPES = new Set<unknown>(['null', 'boolean', 'object', 'array', 'number', 'integer', 'string']);
const DRAFT_07 = /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/;
const DEFINITION_NAME = /^[A-Za-z0-9_.-]+$/;

/** A keyword whose value is one plain value that must satisfy `accepts`. */
function plain(accepts: (value: unknown) => boolean, expected: string): KeywordCheck {
  return (value, at) => {
    if (!accepts(value)) refuse(at, `must be ${expected}`);
    return NO_SUBSCHEMA;
  };
}

const text = plain((value) => typeof value === 'string', 'text');
const number = plain((value) => typeof value === 'number', 'a number');
const count = plain((value) => Number.isSafeInteger(value) && Number(value) >= 0, 'a whole number from 0');

const anyJson: KeywordCheck = (value, at, depth, walk) => {
  walk.json(value, at, depth);
  return NO_SUBSCHEMA;
};

const one: KeywordCheck = (value, at, depth, walk) => [walk.subschema(value, at, depth + 1)];

const type: KeywordCheck = (value, at) => {
  const names = Array.isArray(value) ? value : [value];
  if (names.length === 0 || new Set(names).size !== names.length || !names.every((name) => TYPES.has(name))) {
    refuse(at, 'must be a JSON type or a list of different ones');
  }
  return NO_SUBSCHEMA;
};

const enumeration: KeywordCheck = (value, at, depth, walk) => {
  if (!Array.isArray(value) || value.length === 0) return refuse(at, 'must list at least one value');
  if (value.length > walk.budget.maxEnum)
    refuse(at, `lists over ${walk.budget.maxEnum} values: use a pattern instead`);
  return anyJson(value, at, depth, walk, {});
};

const required: KeywordCheck = (value, at, depth, walk) => {
  if (!Array.isArray(value) || !value.every((name) => typeof name === 'string')) {
    return refuse(at, 'must be a list of names');
  }
  return anyJson(value, at, depth, walk, {});
};

const pattern: KeywordCheck = (value, at, _depth, walk) => {
  if (typeof value !== 'string') return refuse(at, 'must be text');
  const fault = patternFault(value, walk.budget.maxPatternLength);
  return fault === undefined ? NO_SUBSCHEMA : refuse(at, fault);
};

// Uniqueness compares every pair, so the number of items needs a bound in the same schema.
const uniqueItems: KeywordCheck = (value, at, _depth, walk, schema) => {
  const most = walk.budget.maxUniqueItems;
  const bound = schema.maxItems;
  if (typeof value !== 'boolean') refuse(at, 'must be true or false');
  if (value && !(typeof bound === 'number' && bound <= most))
    refuse(at, `needs \`maxItems\` of ${most} at most beside it`);
  return NO_SUBSCHEMA;
};

const named: KeywordCheck = (value, at, depth, walk) => {
  if (!isObject(value)) return refuse(at, 'must be an object of schemas');
  return Object.entries(value).map(([name, schema]) => {
    // Validators read a property of this name as the object's prototype.
    if (name === '__proto__') refuse(below(at, name), 'has a name that no property may have: rename it');
    return walk.subschema(schema, below(at, name), depth + 1);
  });
};

const definitions: KeywordCheck = (value, at) => {
  if (!isObject(value)) return refuse(at, 'must be an object of schemas');
  for (const name of Object.keys(value)) {
    if (!DEFINITION_NAME.test(name) || name === '__proto__') {
      refuse(
        below(at, name),
        'has a name that references cannot spell: use letters, digits, `_`, `.` and `-`',
      );
    }
  }
  return NO_SUBSCHEMA;
};

const branches: KeywordCheck = (value, at, depth, walk) => {
  if (!Array.isArray(value) || value.length === 0) return refuse(at, 'must be a list of at least one schema');
  return value.map((schema, index) => branch(walk.subschema(schema, below(at, index), depth + 1)));
};

const not: KeywordCheck = (value, at, depth, walk) => [branch(walk.subschema(value, at, depth + 1))];

function branch(cost: Cost): Cost {
  return { ...cost, branches: cost.branches + 1 };
}

/** Keywords that describe and never decide; they alone may stand beside `$ref`. */
export const ANNOTATIONS: ReadonlyMap<string, KeywordCheck> = new Map([
  ['title', text],
  ['description', text],
  ['$comment', text],
  ['default', anyJson],
  ['examples', anyJson],
]);

/** Keywords that only the schema's root may have. The walk checks what is under the definitions itself. */
export const ROOT_KEYWORDS: ReadonlyMap<string, KeywordCheck> = new Map([
  ['$schema', plain((value) => typeof value === 'string' && DRAFT_07.test(value), 'the draft-07 address')],
  ['definitions', definitions],
  ['$defs', definitions],
]);

/** The dialect: every keyword that may stand anywhere, `$ref` aside. */
export const KEYWORDS: ReadonlyMap<string, KeywordCheck> = new Map([
  ...ANNOTATIONS,
  ['type', type],
  ['enum', enumeration],
  ['const', anyJson],
  ['minimum', number],
  ['maximum', number],
  ['exclusiveMinimum', number],
  ['exclusiveMaximum', number],
  ['multipleOf', plain((value) => Number.isSafeInteger(value) && Number(value) > 0, 'a whole number from 1')],
  ['minLength', count],
  ['maxLength', count],
  ['pattern', pattern],
  [
    'format',
    plain(
      (value) => typeof value === 'string' && FORMATS.has(value),
      `one of ${[...FORMATS.keys()].join(', ')}`,
    ),
  ],
  ['minItems', count],
  ['maxItems', count],
  ['uniqueItems', uniqueItems],
  ['items', one],
  ['minProperties', count],
  ['maxProperties', count],
  ['required', required],
  ['properties', named],
  ['additionalProperties', one],
  ['allOf', branches],
  ['anyOf', branches],
  ['oneOf', branches],
  ['not', not],
]);
