// SPDX-License-Identifier: Apache-2.0
import { assert } from 'chai';
import { openStore, type Store } from '../../../broker/store/database.ts';
import { Definitions, type ManifestFacts } from '../../../broker/store/definitions.ts';
import { codeOf, type Temporary, temporaryDirectory } from './temporary.ts';

const APP = 'org.example.Notes';

function manifest(version: string, more: Partial<ManifestFacts> = {}): ManifestFacts {
  const manifestDigest = `manifest ${version} ${more.revision ?? ''}`;
  return { appId: APP, version, manifestDigest, definitions: [], ...more };
}

function defining(
  version: string,
  ...definitions: readonly [id: string, version: string, digest: string][]
): ManifestFacts {
  return manifest(version, {
    definitions: definitions.map(([id, of, digest]) => ({ id, version: of, digest })),
  });
}

describe('broker/store/definitions', () => {
  let temporary: Temporary;
  let store: Store;
  let memory: Definitions;

  beforeEach(() => {
    temporary = temporaryDirectory();
    store = openStore({ directory: temporary.path });
    memory = new Definitions(store);
  });
  afterEach(() => {
    store.close();
    temporary.remove();
  });

  const accepts = (facts: ManifestFacts): boolean => memory.rememberManifest(facts).protected;
  const refuses = (facts: ManifestFacts): unknown => codeOf(() => memory.rememberManifest(facts));

  it('[R125] refuses a definition that changed under the same id and version, also after a restart', () => {
    accepts(defining('1.0', ['notes.a.read', '1.0', 'x']));
    accepts(defining('1.1', ['notes.a.read', '1.0', 'x'], ['notes.a.read', '2.0', 'y']));
    assert.equal(refuses(defining('1.2', ['notes.a.read', '1.0', 'other'])), 'DefinitionChanged');
    store.close();
    store = openStore({ directory: temporary.path });
    memory = new Definitions(store);
    assert.equal(refuses(defining('1.2', ['notes.a.read', '2.0', 'other'])), 'DefinitionChanged');
  });

  it('[R125] remembers a definition that a later manifest left out', () => {
    accepts(defining('1.0', ['notes.a.read', '1.0', 'x']));
    accepts(defining('1.1'));
    assert.equal(refuses(defining('1.2', ['notes.a.read', '1.0', 'other'])), 'DefinitionChanged');
  });

  it('[R125] refuses a manifest that defines one thing twice, and another app’s definitions do not count', () => {
    assert.equal(refuses(defining('1.0', ['a.b.c', '1.0', 'x'], ['a.b.c', '1.0', 'y'])), 'DefinitionChanged');
    accepts(defining('1.0', ['a.b.c', '1.0', 'x']));
    accepts({ ...defining('1.0', ['a.b.c', '1.0', 'y']), appId: 'org.example.Other' });
  });

  it('[R125] [R126] remembers nothing of a refused manifest', () => {
    accepts(defining('1.0', ['a.b.c', '1.0', 'x']));
    assert.equal(
      refuses(defining('2.0', ['a.b.new', '1.0', 'n'], ['a.b.c', '1.0', 'y'])),
      'DefinitionChanged',
    );
    assert.equal(refuses(defining('0.9', ['a.b.new', '1.0', 'n'])), 'Rollback');
    accepts(defining('1.5', ['a.b.new', '1.0', 'another']));
  });

  it('[R126] refuses an older version and takes an equal or newer one', () => {
    assert.isTrue(accepts(manifest('1.9')));
    assert.isTrue(accepts(manifest('1.10')));
    assert.isTrue(accepts(manifest('1.10.0', { manifestDigest: 'same version, more capabilities' })));
    assert.equal(refuses(manifest('1.9')), 'Rollback');
  });

  it('[R126] orders by revision once there was one', () => {
    accepts(manifest('2.0', { revision: 4 }));
    accepts(manifest('1.0', { revision: 5 }));
    accepts(manifest('1.0', { revision: 5 }));
    assert.equal(refuses(manifest('9.0', { revision: 4 })), 'Rollback');
    assert.equal(refuses(manifest('9.0')), 'Rollback');
  });

  it('[R126] the first revision must not come with an older version', () => {
    accepts(manifest('2.0'));
    assert.equal(refuses(manifest('1.0', { revision: 1 })), 'Rollback');
    accepts(manifest('2.0', { revision: 1 }));
  });

  it('[R126] after a numeric version one that cannot be compared is refused, unless a revision vouches for it', () => {
    assert.isFalse(accepts(manifest('spring')));
    assert.isTrue(accepts(manifest('2.0')));
    assert.equal(refuses(manifest('autumn')), 'Rollback');
    assert.equal(refuses(manifest('1.0-rc1')), 'Rollback');
    assert.equal(refuses(manifest('1.0')), 'Rollback');
    assert.isTrue(accepts(manifest('2.1-rc1', { revision: 1 })));
  });

  it('[R126] an administrator allows one rollback, which then is the new mark', () => {
    accepts(manifest('2.0', { revision: 7 }));
    assert.isTrue(memory.allowRollback(APP));
    accepts(manifest('1.0'));
    accepts(manifest('1.1'));
    assert.equal(refuses(manifest('1.0')), 'Rollback');
  });

  it('[R126] the permission is used up by any new manifest, not by the same one again', () => {
    accepts(manifest('2.0'));
    memory.allowRollback(APP);
    accepts(manifest('2.0'));
    accepts(manifest('1.0'));
    memory.allowRollback(APP);
    accepts(manifest('3.0'));
    assert.equal(refuses(manifest('2.0')), 'Rollback');
  });

  it('[R126] a permitted rollback still may not change a definition', () => {
    accepts(defining('2.0', ['a.b.c', '1.0', 'x']));
    memory.allowRollback(APP);
    assert.equal(refuses(defining('1.0', ['a.b.c', '1.0', 'y'])), 'DefinitionChanged');
    accepts(defining('1.0', ['a.b.c', '1.0', 'x']));
  });

  it('an administrator forgets an app, and it alone', () => {
    accepts(defining('2.0', ['a.b.c', '1.0', 'x']));
    accepts({ ...manifest('2.0'), appId: 'org.example.Other' });
    assert.isTrue(memory.forget(APP));
    assert.isFalse(memory.forget(APP));
    assert.isFalse(memory.allowRollback(APP));
    accepts(defining('1.0', ['a.b.c', '1.0', 'y']));
    assert.equal(refuses({ ...manifest('1.0'), appId: 'org.example.Other' }), 'Rollback');
  });

  it('a store that cannot be written is its own error', () => {
    store.database.exec('PRAGMA query_only = ON');
    assert.equal(refuses(manifest('1.0')), 'StoreReadOnly');
  });
});
