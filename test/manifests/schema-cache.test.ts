// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer } from 'node:net';
import { assert } from 'chai';
import fc from 'fast-check';
import { ManifestError } from '../../manifests/error.ts';
import { checkSchema } from '../../manifests/parameter-schema.ts';
import { SchemaCache, type SchemaCacheLimits, type Validator } from '../../manifests/schema-cache.ts';
import { capability, type Json, LIMITS, manifestWith, parse, refusal, refused } from './fixtures.ts';

const CACHE: SchemaCacheLimits = { maxCompiled: 64, maxPatternSize: 5000, maxPatternSteps: 2_000_000 };
const parameters = (schema: Json, cache = new SchemaCache(CACHE)): Validator =>
  cache.validatorFor(capability({ parameters: schema }), 'parameters');
const returns = (schema: Json, cache = new SchemaCache(CACHE)): Validator =>
  cache.validatorFor(capability({ returns: schema }), 'returns');
const read = (text: string): unknown => JSON.parse(text);

describe('manifests/schema-cache', () => {
  describe('[R62] validates', () => {
    const check = parameters({
      type: 'object',
      properties: {
        path: { type: 'string', maxLength: 10, pattern: '^/' },
        mode: { enum: ['a', 'b'] },
        deep: {
          type: 'array',
          items: {
            type: 'object',
            properties: { n: { type: 'integer' } },
            required: ['n'],
            additionalProperties: false,
          },
        },
        map: { type: 'object', additionalProperties: { type: 'string' } },
        when: { type: 'string', format: 'date' },
      },
      required: ['path'],
    });

    it('valid parameters', () => {
      const valid = {
        path: '/a',
        mode: 'a',
        deep: [{ n: 1 }, { n: 2 }],
        map: { x: 'y' },
        when: '2026-11-30',
      };
      const copy = structuredClone(valid);
      assert.isUndefined(check(valid));
      assert.deepEqual(valid, copy);
    });

    const faults: [unknown, string, string][] = [
      [{}, '/path', 'required'],
      [{ path: 5 }, '/path', 'type'],
      [{ path: '/012345678901' }, '/path', 'maxLength'],
      [{ path: 'a' }, '/path', 'pattern'],
      [{ path: '/', mode: 'c' }, '/mode', 'enum'],
      [{ path: '/', deep: [{ n: 1 }, { n: '2' }] }, '/deep/1/n', 'type'],
      [{ path: '/', deep: [{}] }, '/deep/0/n', 'required'],
      [{ path: '/', deep: [{ n: 1, x: 2 }] }, '/deep/0', 'additionalProperties'],
      [{ path: '/', map: { secret: 1 } }, '/map/*', 'type'],
      [{ path: '/', map: { '0': 1 } }, '/map/*', 'type'],
      [{ path: '/', when: '2026-02-30' }, '/when', 'format'],
      [{ path: '/', x: 1 }, '', 'additionalProperties'],
      ['x', '', 'type'],
      [null, '', 'type'],
      [[], '', 'type'],
      [undefined, '', 'type'],
    ];
    for (const [value, pointer, keyword] of faults) {
      it(`${JSON.stringify(value)}: ${keyword} at "${pointer}"`, () =>
        assert.deepEqual(check(value), { pointer, keyword }));
    }

    it('no value and no unknown name is in a fault', () => {
      const marker = 'hunter2-9f3c';
      for (const value of [
        { path: `/${marker}` },
        { path: '/', [marker]: 1 },
        { path: '/', mode: marker },
        { path: '/', map: { [marker]: 1 } },
        { path: '/', deep: [{ n: 1, [marker]: 1 }] },
        { path: marker },
        { path: '/', deep: [{ [marker]: 1 }] },
        { path: '/', when: marker },
      ]) {
        const fault = check(value);
        assert.isDefined(fault);
        assert.notInclude(JSON.stringify(fault), marker);
      }
    });

    it('without coercing and without filling in defaults', () => {
      const strict = parameters({
        properties: { n: { type: 'number' }, d: { type: 'string', default: 'x' } },
      });
      assert.deepEqual(strict({ n: '5' }), { pointer: '/n', keyword: 'type' });
      const value = {};
      assert.isUndefined(strict(value));
      assert.deepEqual(value, {});
    });

    it('by own properties only', () => {
      const own = parameters({
        properties: { constructor: { type: 'string' }, toString: {} },
        required: ['toString'],
      });
      assert.deepEqual(own({}), { pointer: '/toString', keyword: 'required' });
      assert.isUndefined(own({ toString: 1 }));
      assert.deepEqual(own(read('{"__proto__":1}')), { pointer: '', keyword: 'additionalProperties' });
    });
  });

  describe('[R63] unknown parameters', () => {
    it('are rejected where the schema is silent', () => {
      for (const schema of [{}, { type: 'object' }, { properties: {} }, { anyOf: [{}] }]) {
        assert.isUndefined(parameters(schema)({}));
        assert.deepEqual(parameters(schema)({ x: 1 }), { pointer: '', keyword: 'additionalProperties' });
      }
    });

    it('are those that no branch and no reference names', () => {
      const check = parameters({
        definitions: { more: { properties: { c: {} } } },
        properties: { a: {} },
        anyOf: [{ properties: { b: {} } }, { $ref: '#/definitions/more' }],
        oneOf: [{ properties: { e: {} } }],
        allOf: [{ properties: { f: {} } }],
        not: { properties: { d: { const: 1 } }, required: ['d'] },
      });
      assert.isUndefined(check({ a: 1, b: 2, c: 3, e: 5, f: 6 }));
      assert.deepEqual(check({ d: 2 }), { pointer: '', keyword: 'additionalProperties' });
    });
  });

  describe('[R21] results', () => {
    it('are open where their schema is, and of any type', () => {
      assert.isUndefined(returns({})({ x: 1 }));
      assert.isUndefined(returns({ type: 'string' })('x'));
      assert.deepEqual(returns({ type: 'string' })(1), { pointer: '', keyword: 'type' });
      assert.deepEqual(returns({ additionalProperties: false })({ x: 1 }), {
        pointer: '',
        keyword: 'additionalProperties',
      });
    });

    it('of a false schema are never right', () => {
      assert.deepEqual(returns({ properties: { a: false } })({ a: 1 }), {
        pointer: '/a',
        keyword: 'false schema',
      });
    });

    it('name the choice that failed, not its branches', () => {
      assert.deepEqual(returns({ anyOf: [{ type: 'string' }, { type: 'null' }] })(1), {
        pointer: '',
        keyword: 'anyOf',
      });
      assert.deepEqual(returns({ oneOf: [{}, {}] })(1), { pointer: '', keyword: 'oneOf' });
    });
  });

  it('[R10] event payloads are validated; an event without a schema takes any', () => {
    const [changed, closed] = parse(
      manifestWith({
        events: [
          { event_type: 'changed', description: 'a', payload_schema: { type: 'string' } },
          { event_type: 'closed', description: 'b' },
        ],
      }),
    ).events;
    assert.isDefined(changed && closed);
    const cache = new SchemaCache(CACHE);
    assert.deepEqual(changed && cache.validatorForEvent(changed)(1), { pointer: '', keyword: 'type' });
    assert.isUndefined(closed && cache.validatorForEvent(closed)({ any: 1 }));
  });

  describe('compiles', () => {
    it('once for one content', () => {
      const cache = new SchemaCache(CACHE);
      const first = cache.validatorFor(capability(), 'parameters');
      assert.equal(cache.validatorFor(capability(), 'parameters'), first);
      assert.notEqual(cache.validatorFor(capability(), 'returns'), first);
      assert.notEqual(cache.validatorFor(capability({ preview: true }), 'parameters'), first);
    });

    it('again after the compiler was replaced, and earlier validators go on working', () => {
      const cache = new SchemaCache({ ...CACHE, maxCompiled: 2 });
      const first = cache.validatorFor(capability(), 'parameters');
      cache.validatorFor(capability(), 'returns');
      assert.equal(cache.validatorFor(capability(), 'parameters'), first);
      cache.validatorFor(capability({ preview: true }), 'returns');
      assert.notEqual(cache.validatorFor(capability(), 'parameters'), first);
      assert.deepEqual(first({}), { pointer: '/path', keyword: 'required' });
    });

    it('schemas with equal names of definitions without mixing them up', () => {
      const cache = new SchemaCache(CACHE);
      const of = (type: string) =>
        returns({ definitions: { d: { type } }, properties: { a: { $ref: '#/definitions/d' } } }, cache);
      const [text, number] = [of('string'), of('number')];
      assert.isUndefined(text({ a: 'x' }));
      assert.isDefined(text({ a: 1 }));
      assert.isUndefined(number({ a: 1 }));
      assert.isDefined(number({ a: 'x' }));
    });

    it('several patterns without mixing them up', () => {
      const check = parameters({ properties: { a: { pattern: '^a$' }, b: { pattern: '^b$' } } });
      assert.isUndefined(check({ a: 'a', b: 'b' }));
      assert.deepEqual(check({ a: 'a', b: 'a' }), { pointer: '/b', keyword: 'pattern' });
    });

    it('with `$schema` and with a reference at the root', () => {
      const $schema = 'http://json-schema.org/draft-07/schema#';
      const check = parameters({
        $schema,
        $ref: '#/definitions/a',
        definitions: { a: { properties: { x: { type: 'string' } } } },
      });
      assert.isUndefined(check({ x: 'y' }));
      assert.deepEqual(check({ x: 1 }), { pointer: '/x', keyword: 'type' });
    });
  });

  describe('[R62] what cannot be compiled cannot be called', () => {
    const cases: [string, Json][] = [
      ['a repeat within a repeat', { properties: { a: { pattern: '((a{100}){100})' } } }],
      ['one large pattern', { properties: { a: { pattern: `(?:${'[^a]?'.repeat(40)}){1000}` } } }],
      [
        'many patterns',
        {
          properties: Object.fromEntries(
            Array.from({ length: 9 }, (_, index) => [`p${index}`, { pattern: `^a{9${index}0}$` }]),
          ),
        },
      ],
      ['a class that the engine does not know', { properties: { a: { pattern: '\\p{Nonsense}' } } }],
    ];
    for (const [title, schema] of cases) {
      it(title, () => {
        const cache = new SchemaCache(CACHE);
        const get = () => parameters(schema, cache);
        assert.equal(refused(get), 'ParameterSchemaRefused /parameters');
        // Not compiled again: the same refusal is given.
        assert.equal(refusal(get).message, refusal(get).message);
        assert.equal(
          refused(() => returns({ not: schema }, new SchemaCache(CACHE))),
          'ParameterSchemaRefused /returns',
        );
      });
    }
  });

  describe('[R62] hostile values', () => {
    it('a pattern that would backtrack does not', () => {
      const check = parameters({ properties: { q: { type: 'string', pattern: '^(a+)+$' } } });
      assert.deepEqual(check({ q: `${'a'.repeat(28)}!` }), { pointer: '/q', keyword: 'pattern' });
      assert.isUndefined(check({ q: 'a'.repeat(50_000) }));
    });

    it('patterns that would take too long on a long value make it invalid, under `not` as well', () => {
      const pattern = '[\\p{L}\\p{N}]{900}';
      const over = { pointer: '', keyword: 'limit' };
      assert.deepEqual(parameters({ properties: { q: { pattern } } })({ q: 'a'.repeat(4000) }), over);
      assert.deepEqual(
        parameters({ properties: { q: { not: { pattern } } } })({ q: 'a'.repeat(4000) }),
        over,
      );
      const list = parameters({ properties: { q: { items: { pattern: '^[\\p{L}\\p{N}]{1,900}$' } } } });
      assert.deepEqual(list({ q: Array(100).fill('a'.repeat(40)) }), over);
      assert.isUndefined(list({ q: Array(10).fill('a'.repeat(40)) }));
    });

    it('a value beyond the stack is not valid', () => {
      const deep = (): unknown => read(`${'['.repeat(200_000)}${']'.repeat(200_000)}`);
      const check = returns({ properties: { a: { uniqueItems: true, maxItems: 2 } } });
      assert.deepEqual(check({ a: [deep(), deep()] }), { pointer: '', keyword: 'limit' });
    });
  });

  it('[R20] nothing is ever fetched', async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    for (const $ref of [
      `http://127.0.0.1:${port}/x.json`,
      `//127.0.0.1:${port}/x`,
      'file:///etc/passwd',
      `http://127.0.0.1:${port}/x.json#/definitions/a`,
    ]) {
      const error = refusal(() => parameters({ properties: { a: { $ref } } }));
      assert.equal(
        `${error.code} ${error.pointer}`,
        'ParameterSchemaRefused /capabilities/0/parameters/properties/a/$ref',
      );
    }
    assert.equal(
      refused(() => parameters({ $id: `http://127.0.0.1:${port}/` })),
      'ParameterSchemaRefused /capabilities/0/parameters/$id',
    );
    // A connection that was made would be accepted before this one.
    const closed = once(server, 'close');
    server.close();
    await closed;
    assert.equal(connections, 0);
  });

  it('[R20] whatever the dialect takes compiles, and its validator answers', () => {
    const cache = new SchemaCache({ ...CACHE, maxCompiled: 300 });
    let compiled = 0;
    fc.assert(
      fc.property(schemas, fc.jsonValue({ maxDepth: 3 }), (schema, value) => {
        try {
          checkSchema(schema, '', LIMITS.schema);
        } catch (error) {
          assert.instanceOf(error, ManifestError);
          return;
        }
        compiled += 1;
        const event = { type: 't', description: 'd', payloadSchema: schema, digest: String(compiled) };
        const answer = cache.validatorForEvent(event)(value);
        if (answer !== undefined) assert.hasAllKeys(answer, ['pointer', 'keyword']);
      }),
      { numRuns: 400 },
    );
    assert.isAbove(compiled, 200, 'most of the schemas made here are in the dialect');
  });
});

/** Schemas that are mostly in the dialect. */
const schemas = fc
  .letrec<{ schema: Json; sub: Json | boolean }>((tie) => {
    const list = fc.array(tie('sub'), { minLength: 1, maxLength: 3 });
    const count = fc.nat(5);
    const type = fc.constantFrom('null', 'boolean', 'object', 'array', 'number', 'integer', 'string');
    const keywords: Record<string, fc.Arbitrary<unknown>> = {
      type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1 })),
      title: fc.string(),
      default: fc.jsonValue({ maxDepth: 2 }),
      enum: fc.array(fc.jsonValue({ maxDepth: 1 }), { minLength: 1, maxLength: 3 }),
      const: fc.jsonValue({ maxDepth: 1 }),
      minimum: fc.integer(),
      exclusiveMaximum: fc.double({ noNaN: true, noDefaultInfinity: true }),
      multipleOf: fc.integer({ min: 1 }),
      minLength: count,
      maxLength: count,
      pattern: fc.constantFrom('^a', '[0-9]+', '\\d', '\\u0041', 'a\\/b', '\\-'),
      format: fc.constantFrom('uri', 'date', 'uuid', 'email'),
      minItems: count,
      maxItems: count,
      uniqueItems: fc.constant(false),
      items: tie('sub'),
      minProperties: count,
      maxProperties: count,
      required: fc.array(fc.string(), { maxLength: 3 }),
      properties: fc.dictionary(fc.string(), tie('sub'), { maxKeys: 3 }),
      additionalProperties: tie('sub'),
      allOf: list,
      anyOf: list,
      oneOf: list,
      not: tie('sub'),
    };
    // A few keywords at a time: with all of them at once nearly every schema would be over the budget.
    const schema = fc
      .shuffledSubarray(Object.entries(keywords), { maxLength: 4 })
      .chain((chosen): fc.Arbitrary<Json> => fc.record(Object.fromEntries(chosen)));
    return { schema, sub: fc.oneof({ depthSize: 'small' }, fc.boolean(), schema) };
  })
  .schema.map((schema): Json => JSON.parse(JSON.stringify(schema)));
