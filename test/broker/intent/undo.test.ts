// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { type UndoRecord, Undos } from '../../../broker/intent/undo.ts';
import { parseAppId } from '../../../keys/app-id.ts';
import { Registry } from '../../../manifests/registry.ts';
import { BUILTINS } from './fixture-app.ts';

describe('Undos', () => {
  const registry = new Registry();
  for (const capability of BUILTINS) registry.addBuiltin(capability);
  registry.freezeBuiltins();
  const record = (invocation: string, until: number): UndoRecord => {
    const entry = registry.resolve('test.echo', undefined, 0);
    if (typeof entry === 'string') throw new Error(entry);
    return { invocation, principal: 'agent', entry, targets: 'undetermined', token: 't', until };
  };

  it('[R26] finds one until its time is over', () => {
    const undos = new Undos(9);
    undos.keep(record('a', 100), 0);
    assert.equal(undos.find('a', 99)?.invocation, 'a');
    assert.isUndefined(undos.find('a', 100));
    assert.isUndefined(undos.find('b', 0));
  });

  it('[R26] gives one away once', () => {
    const undos = new Undos(9);
    undos.keep(record('a', 100), 0);
    assert.equal(undos.take('a', 50)?.invocation, 'a');
    assert.isUndefined(undos.take('a', 50));
  });

  it('[R26] gives away none that is over', () => {
    const undos = new Undos(9);
    undos.keep(record('a', 100), 0);
    assert.isUndefined(undos.take('a', 100));
  });

  it('one app with too many loses its own oldest, and no other app one of its', () => {
    const undos = new Undos(2);
    const of = (appId: string, invocation: string): UndoRecord => {
      const own = record(invocation, 100);
      return { ...own, entry: { ...own.entry, appId: parseAppId(appId) } };
    };
    for (const invocation of ['a', 'b', 'c']) undos.keep(of('org.example.One', invocation), 0);
    undos.keep(of('org.example.Two', 'd'), 0);
    const left = ['a', 'b', 'c', 'd'].filter((invocation) => undos.find(invocation, 50) !== undefined);
    assert.deepEqual(left, ['b', 'c', 'd']);
  });

  it('lets go of what is over', () => {
    const undos = new Undos(2);
    undos.keep(record('a', 100), 0);
    undos.keep(record('b', 200), 0);
    undos.keep(record('c', 300), 100);
    assert.isDefined(undos.find('b', 100));
    assert.isUndefined(undos.find('a', 0));
  });
});
