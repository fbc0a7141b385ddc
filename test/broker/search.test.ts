// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { bestFirst } from '../../broker/search.ts';
import type { Entry } from '../../manifests/registry.ts';
import { Registry } from '../../manifests/registry.ts';
import { type Json, manifest } from './intent/fixture-app.ts';

describe('bestFirst', () => {
  const declare = (action: string, name: string, description: string): Json => ({
    id: `notes.org.example.desk.${action}`,
    name,
    description,
    category: 'STATE_QUERY',
    parameters: { type: 'object', properties: {} },
    returns: { type: 'object', properties: {} },
  });
  const registry = new Registry();
  registry.freezeBuiltins();
  const capabilities = [
    declare('weigh', 'Weigh a letter', 'Says how heavy it is'),
    declare('letter', 'Write', 'Opens a sheet'),
    declare('post', 'Post', 'Brings a letter to the office'),
    declare('count', 'Count', 'Counts'),
  ];
  registry.register({
    manifest: manifest(capabilities),
    keyFingerprint: 'f',
    provider: ':1.1',
    binding: 'unit',
  });
  const search = (text: string): readonly string[] =>
    bestFirst(registry.list(), text).map(({ capability }: Entry) => capability.id.split('.').at(-1) ?? '');

  it('an id weighs more than a name, and a name more than a description', () => {
    assert.deepEqual(search('letter'), ['letter', 'weigh', 'post']);
  });

  it('more words weigh more, in any case and with any space', () => {
    assert.deepEqual(search('  OFFICE\n Post letter '), ['post', 'letter', 'weigh']);
  });

  it('a word said twice weighs once', () => {
    assert.deepEqual(search('letter letter letter sheet'), search('letter sheet'));
  });

  it('as good goes by id', () => {
    assert.deepEqual(search('notes.org.example.desk'), ['count', 'letter', 'post', 'weigh']);
  });

  it('nothing finds nothing', () => {
    assert.deepEqual([search(''), search('   '), search('absent')], [[], [], []]);
  });

  it('looks for sixteen words and no more', () => {
    const fill = Array.from({ length: 15 }, (_, index) => `absent${index}`).join(' ');
    assert.deepEqual(search(`${fill} count`), ['count']);
    assert.deepEqual(search(`${fill} absent count`), []);
  });
});
