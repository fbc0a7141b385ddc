// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { checkParametersSchema, checkSchema } from '../../manifests/parameter-schema.ts';
import { KEYWORDS } from '../../manifests/schema-keywords.ts';
import { type Json, LIMITS, refusal, refused } from './fixtures.ts';

const B = LIMITS.schema;
const at = (schema: unknown): string =>
  refused(() => checkSchema(schema, '/p', B)).replace('ParameterSchemaRefused ', '');
const accepts = (schema: unknown): void => checkSchema(schema, '/p', B);
const repeated = (count: number, make: (index: number) => unknown): unknown[] =>
  Array.from({ length: count }, (_, index) => make(index));
const named = (count: number, make: (index: number) => unknown): Json =>
  Object.fromEntries(repeated(count, make).map((part, index) => [`n${index}`, part]));
const nested = (levels: number, wrap: (inner: unknown) => unknown): unknown =>
  Array.from({ length: levels }).reduce<unknown>((inner) => wrap(inner), { type: 'string' });

describe('manifests/parameter-schema', () => {
  describe('the dialect', () => {
    const good: Record<string, unknown[]> = {
      title: ['x'],
      description: ['x'],
      $comment: ['x'],
      default: [null, { a: [1] }],
      examples: [[1, 'a']],
      type: ['string', ['string', 'null']],
      enum: [[1, 'a', null, { a: 1 }]],
      const: [{ a: [1] }],
      minimum: [0, -1.5],
      maximum: [0],
      exclusiveMinimum: [1],
      exclusiveMaximum: [1],
      multipleOf: [1, 60],
      minLength: [0],
      maxLength: [10],
      pattern: ['^a+$'],
      format: ['uri', 'uuid'],
      minItems: [0],
      maxItems: [9],
      uniqueItems: [false],
      items: [true, { type: 'string' }],
      minProperties: [0],
      maxProperties: [4],
      required: [[], ['a']],
      properties: [{}, { a: true, b: {} }],
      additionalProperties: [false, { type: 'string' }],
      allOf: [[true]],
      anyOf: [[{}, {}]],
      oneOf: [[{ type: 'null' }]],
      not: [{ const: 1 }],
    };
    const bad: Record<string, unknown[]> = {
      title: [1],
      description: [null],
      $comment: [{}],
      default: [],
      examples: [],
      const: [],
      type: ['text', [], ['string', 'string'], 7, [['string']]],
      enum: [[], 'a', {}],
      minimum: ['0', null],
      maximum: [true],
      exclusiveMinimum: [true],
      exclusiveMaximum: [[]],
      multipleOf: [0, -1, 0.1, '1'],
      minLength: [-1, 1.5, '1'],
      maxLength: [null],
      pattern: [1, '[', '(?=a)'],
      format: ['uri-template', 'regex', 'toString', 1, ['uri']],
      minItems: [-1],
      maxItems: [2 ** 53],
      uniqueItems: [true, 1],
      items: [7, [{}]],
      minProperties: [{}],
      maxProperties: [-1],
      required: ['a', [1], {}],
      properties: [[], 7],
      additionalProperties: ['no', null],
      allOf: [[], {}, true],
      anyOf: ['x'],
      oneOf: [[]],
      not: [7, []],
    };

    it('has examples of every keyword', () => {
      assert.sameMembers(Object.keys(good), [...KEYWORDS.keys()]);
      assert.sameMembers(Object.keys(bad), [...KEYWORDS.keys()]);
    });

    for (const [keyword, values] of Object.entries(good)) {
      it(`[R20] [R21] takes \`${keyword}\``, () => {
        for (const value of values) accepts({ properties: { a: { [keyword]: value } } });
      });
    }

    for (const [keyword, values] of Object.entries(bad)) {
      for (const value of values) {
        it(`[R20] [R21] refuses \`${keyword}\`: ${JSON.stringify(value)}`, () =>
          assert.equal(at({ items: { [keyword]: value } }), `/p/items/${keyword}`));
      }
    }

    for (const keyword of [
      '$async',
      '$id',
      'id',
      '$anchor',
      '$dynamicRef',
      '$recursiveRef',
      'if',
      'then',
      'else',
      'contains',
      'dependencies',
      'patternProperties',
      'propertyNames',
      'additionalItems',
      'contentEncoding',
      'nullable',
      'discriminator',
      'x-own',
      '__proto__',
      'toString',
      'constructor',
      '',
    ]) {
      it(`[R20] refuses a keyword outside of it: \`${keyword}\``, () => {
        const schema: unknown = JSON.parse(`{${JSON.stringify(keyword)}: true}`);
        assert.equal(at(schema), `/p/${keyword}`);
        assert.equal(at({ not: { not: schema } }), `/p/not/not/${keyword}`);
      });
    }

    it('a schema at the root is an object, and below it an object or a boolean', () => {
      for (const schema of [true, null, [], 'x', 7]) assert.equal(at(schema), '/p');
      for (const schema of [null, [], 'x', 7])
        assert.equal(at({ properties: { a: schema } }), '/p/properties/a');
    });

    it('`$schema` is draft-07, and at the root only', () => {
      accepts({ $schema: 'http://json-schema.org/draft-07/schema#' });
      assert.equal(at({ $schema: 'https://json-schema.org/draft/2020-12/schema' }), '/p/$schema');
      assert.equal(at({ $schema: 7 }), '/p/$schema');
      assert.equal(at({ not: { $schema: 'http://json-schema.org/draft-07/schema#' } }), '/p/not/$schema');
    });

    it('uniqueItems needs a bound beside it', () => {
      accepts({ uniqueItems: true, maxItems: B.maxUniqueItems });
      assert.equal(at({ uniqueItems: true, maxItems: B.maxUniqueItems + 1 }), '/p/uniqueItems');
    });

    it('no property may be called `__proto__`, which validators do not see', () => {
      assert.equal(at(JSON.parse('{"properties":{"__proto__":{}}}')), '/p/properties/__proto__');
      assert.equal(at(JSON.parse('{"definitions":{"__proto__":{}}}')), '/p/definitions/__proto__');
      accepts({ properties: { constructor: {}, toString: {}, hasOwnProperty: {} } });
    });

    it('a pointer escapes the names in it', () =>
      assert.equal(at({ properties: { 'a/b~c': 7 } }), '/p/properties/a~1b~0c'));
  });

  describe('references', () => {
    it('[R20] go to a definition of the same schema, by either keyword', () => {
      accepts({
        $defs: { a: {} },
        definitions: { 'a.b-c_1': {} },
        allOf: [{ $ref: '#/$defs/a' }, { $ref: '#/definitions/a.b-c_1' }],
      });
      accepts({
        $ref: '#/definitions/a',
        $schema: 'http://json-schema.org/draft-07/schema#',
        definitions: { a: { type: 'object' } },
      });
      accepts({
        definitions: { a: {} },
        items: { $ref: '#/definitions/a', title: 'x', description: 'y', default: 1 },
      });
    });

    for (const $ref of [
      '#',
      '#/',
      '#/properties/a',
      '#/definitions/b',
      '#/definitions/a/x',
      '#/definitions/toString',
      '#/$defs/a',
      'a',
      'a.json',
      'http://127.0.0.1:1/x.json',
      'file:///etc/passwd',
      '//x',
      '',
      7,
      null,
      ['#/definitions/a'],
      {},
      '#/definitions/%61',
    ]) {
      it(`[R20] go nowhere else: ${JSON.stringify($ref)}`, () => {
        const found = at({ definitions: { a: {} }, properties: { a: { $ref } } });
        assert.equal(found, '/p/properties/a/$ref');
      });
    }

    it('are not told from what stands beside them', () => {
      assert.equal(
        at({ definitions: { a: {} }, not: { $ref: '#/definitions/a', type: 'string' } }),
        '/p/not/type',
      );
      assert.equal(
        at({ definitions: { a: {} }, not: { $ref: '#/definitions/a', $async: true } }),
        '/p/not/$async',
      );
      assert.equal(at({ definitions: { a: {} }, $ref: '#/definitions/a', type: 'object' }), '/p/type');
      assert.include(refusal(() => accepts({ $ref: '#', type: 'object' })).message, '`allOf`');
    });

    it('never lead in a circle, not even one that data would end', () => {
      assert.equal(at({ definitions: { a: { $ref: '#/definitions/a' } } }), '/p/definitions/a/$ref');
      assert.equal(
        at({
          definitions: { a: { items: { $ref: '#/definitions/b' } }, b: { not: { $ref: '#/definitions/a' } } },
        }),
        '/p/definitions/b/not/$ref',
      );
    });

    it('definitions are objects of schemas, at the root, and all are checked', () => {
      assert.equal(at({ definitions: [] }), '/p/definitions');
      assert.equal(at({ $defs: 7 }), '/p/$defs');
      assert.equal(at({ $defs: { 'a b': {} } }), '/p/$defs/a b');
      assert.equal(at({ definitions: { unused: { $id: 'x' } } }), '/p/definitions/unused/$id');
      assert.equal(at({ items: { definitions: {} } }), '/p/items/definitions');
    });
  });

  describe('parameters', () => {
    const parameters = (schema: Json) => refused(() => checkParametersSchema(schema, '/p', B));

    it('[R63] are an object with known names', () => {
      checkParametersSchema({ type: 'object', additionalProperties: false }, '/p', B);
      checkParametersSchema({}, '/p', B);
      assert.equal(parameters({ type: ['object', 'null'] }), 'ParameterSchemaRefused /p/type');
      assert.equal(parameters({ type: 'string' }), 'ParameterSchemaRefused /p/type');
      assert.equal(
        parameters({ additionalProperties: {} }),
        'ParameterSchemaRefused /p/additionalProperties',
      );
      assert.equal(parameters({ $id: 'x' }), 'ParameterSchemaRefused /p/$id');
    });
  });

  describe('bombs', () => {
    it('[R20] an enum of 100 000', () => {
      assert.equal(at({ enum: repeated(100_000, (index) => index) }), '/p/enum');
      assert.equal(at({ enum: repeated(B.maxEnum + 1, (index) => index) }), '/p/enum');
      accepts({ enum: repeated(B.maxEnum, (index) => index) });
    });

    it('[R20] many values in small pieces', () => {
      assert.match(at({ properties: named(B.maxNodes, () => ({})) }), /^\/p\/properties\/n/);
      assert.match(
        at({ properties: named(100, () => ({ enum: repeated(100, (index) => index) })) }),
        /^\/p\/properties\/n\d+\/enum$/,
      );
      assert.equal(at({ default: repeated(B.maxNodes, () => 0) }), '/p/default');
      assert.equal(at({ required: repeated(B.maxNodes, (index) => `r${index}`) }), '/p/required');
    });

    it('[R20] 323 KB of nested anyOf', () => {
      const tree = (levels: number): unknown =>
        levels === 0 ? { type: 'string' } : { anyOf: [tree(levels - 1), tree(levels - 1)] };
      accepts(tree(5));
      assert.match(at(tree(6)), /^\/p/);
      assert.match(at(tree(12)), /^\/p(?:\/anyOf\/0)+/);
      assert.equal(at({ oneOf: repeated(B.maxBranches + 1, () => true) }), '/p');
      accepts({ allOf: repeated(B.maxBranches, () => true) });
    });

    it('[R20] references that multiply at each step', () => {
      const growing = (steps: number) => {
        const names = Array.from({ length: steps }, (_, step) => step);
        const step = (below: number) => ({
          properties: named(4, () => ({ $ref: `#/definitions/d${below}` })),
        });
        const definitions = {
          d0: { type: 'string' },
          ...Object.fromEntries(names.map((below) => [`d${below + 1}`, step(below)])),
        };
        return { definitions, properties: { x: { $ref: `#/definitions/d${steps}` } } };
      };
      accepts(growing(3));
      assert.include(refusal(() => accepts(growing(5))).message, 'expands');
      assert.equal(at(growing(5)), '/p/definitions/d5');
      assert.match(at(growing(40)), /^\/p\/definitions/);
    });

    it('[R20] alternatives behind references count where they are used', () => {
      const definitions = { many: { anyOf: repeated(40, () => true) } };
      accepts({ definitions, properties: { a: { $ref: '#/definitions/many' } } });
      assert.match(
        at({
          definitions,
          properties: { a: { $ref: '#/definitions/many' }, b: { $ref: '#/definitions/many' } },
        }),
        /^\/p/,
      );
    });

    it('[R20] references to the whole', () => {
      assert.equal(at({ allOf: [{ $ref: '#' }, { $ref: '#' }] }), '/p/allOf/0/$ref');
      assert.equal(at({ $ref: '#' }), '/p/$ref');
    });

    it('[R20] nesting, in the open, in plain values and behind references', () => {
      accepts(nested(B.maxDepth - 1, (inner) => ({ items: inner })));
      assert.match(at(nested(B.maxDepth, (inner) => ({ items: inner }))), /^\/p(?:\/items)+$/);
      assert.match(at(nested(20_000, (inner) => ({ items: inner }))), /^\/p(?:\/items)+$/);
      assert.equal(at({ default: nested(5000, (inner) => [inner]) }), '/p/default');
      const chain = (links: number) => ({
        definitions: {
          c0: {},
          ...Object.fromEntries(
            Array.from({ length: links }, (_, index) => [
              `c${index + 1}`,
              { items: { $ref: `#/definitions/c${index}` } },
            ]),
          ),
        },
        items: { $ref: `#/definitions/c${links}` },
      });
      accepts(chain(4));
      assert.match(at(chain(400)), /\$ref$|^\/p\/definitions/);
      // The definition is known by the time it is met again, one level too deep.
      const deep = nested(B.maxDepth - 3, (inner) => ({ items: inner }));
      assert.equal(
        at({
          allOf: [{ $ref: '#/definitions/d' }, { not: { $ref: '#/definitions/d' } }],
          definitions: { d: deep },
        }),
        '/p/allOf/1/not/$ref',
      );
    });

    it('[R20] a pattern that is too long', () =>
      assert.equal(at({ pattern: 'a'.repeat(B.maxPatternLength + 1) }), '/p/pattern'));
  });
});
