// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { parseTargets } from '../../manifests/target.ts';
import { type Json, refusal, refused } from './fixtures.ts';

const PARAMETERS: Json = {
  definitions: {
    place: { type: 'object', properties: { host: { type: 'string' } }, additionalProperties: false },
    never: false,
  },
  type: 'object',
  properties: {
    path: { type: 'string' },
    'a/b': { type: 'string' },
    files: {
      type: 'array',
      items: { type: 'object', properties: { name: { type: 'string' } }, additionalProperties: false },
    },
    open: { type: 'object' },
    anything: true,
    never: false,
    place: { $ref: '#/definitions/place' },
    list: { type: 'array' },
    mixed: { type: ['array', 'string'] },
    constructorless: { type: 'object', additionalProperties: false },
  },
  anyOf: [{ required: ['path'] }, { properties: { url: { type: 'string' } } }],
  additionalProperties: false,
};
const KIND = 'path';
const take = (...parameters: string[]) =>
  parseTargets(
    parameters.map((parameter) => ({ parameter, kind: KIND })),
    PARAMETERS,
    '/target',
    8,
  );

describe('manifests/target', () => {
  for (const pointer of [
    '/path',
    '/a~1b',
    '/files',
    '/files/0',
    '/files/0/name',
    '/open',
    '/open/x',
    '/anything',
    '/anything/x/y',
    '/list/3',
    '/mixed/0/x',
    '/url',
    '/place/host',
  ]) {
    it(`[R43] \`${pointer}\` can be in the parameters`, () =>
      assert.deepEqual(take(pointer), [{ parameter: pointer, kind: KIND }]));
  }

  for (const pointer of [
    '',
    'path',
    '#/path',
    '/',
    '/other',
    '/path/~',
    '/never',
    '/files/0/size',
    '/files/name/x',
    '/path/x',
    '/list/x',
    '/list/01',
    '/mixed/x',
    '/path/0',
    '/place/port',
    '/constructorless/constructor',
    '/toString',
  ]) {
    it(`[R43] \`${pointer}\` cannot`, () => {
      const { code, pointer: at } = refusal(() => take('/path', pointer));
      assert.equal(`${code} ${at}`, 'TargetInvalid /target/1/parameter');
    });
  }

  it('[R43] one parameter is one target', () => {
    const { code, pointer, message } = refusal(() => take('/path', '/url', '/path'));
    assert.equal(`${code} ${pointer}`, 'TargetInvalid /target/2/parameter');
    assert.include(message, 'twice');
  });

  it('[R43] a parameter that the schema does not name can never be passed', () => {
    const targets = [{ parameter: '/path', kind: KIND }] as const;
    assert.equal(
      refused(() => parseTargets(targets, { type: 'object' }, '/target', 8)),
      'TargetInvalid /target/0/parameter',
    );
  });

  it('[R43] none declared is none', () =>
    assert.deepEqual(parseTargets(undefined, PARAMETERS, '/target', 8), []));
});
