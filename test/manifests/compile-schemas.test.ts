// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { assert } from 'chai';
import capability from '../../manifests/capability.schema.json' with { type: 'json' };
import extension from '../../manifests/extension.schema.json' with { type: 'json' };
import manifest from '../../manifests/manifest.schema.json' with { type: 'json' };
import { compileSchemas, OUTPUT } from '../../scripts/compile-schemas.ts';

const names = (schema: { properties: object }) => Object.keys(schema.properties);

describe('scripts/compile-schemas', () => {
  it('the committed validators are what the schemas compile to', () => {
    assert.isTrue(readFileSync(OUTPUT, 'utf8') === compileSchemas(), 'run `node scripts/compile-schemas.ts`');
  });

  it('the closed schema knows every published field', () => {
    assert.includeMembers(names(extension), names(manifest));
    assert.includeMembers(names(extension.definitions.capability), names(capability));
    assert.includeMembers(names(extension.properties.events.items), names(manifest.properties.events.items));
  });

  it('[R7] [R19] [R22] [R30] the published schemas require and list what the specification does', () => {
    assert.deepEqual(manifest.required, ['app_id', 'version', 'manifest_version', 'capabilities']);
    assert.deepEqual(capability.required, ['id', 'name', 'description', 'category', 'parameters', 'returns']);
    assert.lengthOf(capability.properties.category.enum, 12);
    assert.deepEqual(capability.properties.side_effects.enum, [
      'none',
      'read',
      'write',
      'destructive',
      'network',
      'system',
    ]);
    assert.deepEqual(capability.properties.auth_level.enum, ['public', 'user', 'privileged', 'system']);
  });
});
