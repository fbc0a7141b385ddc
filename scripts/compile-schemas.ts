// SPDX-License-Identifier: Apache-2.0
// Turns the manifest schemas into plain code: importing a JSON Schema compiler and compiling costs 130 ms at start-up,
// the compiled file 4 ms. Run with `node scripts/compile-schemas.ts`; a test compares the result with the committed file.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import standaloneCode from 'ajv/dist/standalone/index.js';
import capability from '../manifests/capability.schema.json' with { type: 'json' };
import extension from '../manifests/extension.schema.json' with { type: 'json' };
import manifest from '../manifests/manifest.schema.json' with { type: 'json' };
import { requireNode24 } from './node24.ts';

export const OUTPUT = join(import.meta.dirname, '../manifests/manifest.validate.js');

/** The text of `manifests/manifest.validate.js`: one exported function per schema. */
export function compileSchemas(): string {
  const ajv = new Ajv({
    code: { source: true, esm: true, lines: true },
    allowUnionTypes: true,
    messages: false,
    schemas: { Capability: capability, Manifest: manifest, Extension: extension },
  });
  const code = standaloneCode.default(ajv, {
    validateCapability: 'Capability',
    validateManifest: 'Manifest',
    validateExtension: 'Extension',
    validateCapabilityExtension: 'Extension#/definitions/capability',
  });
  // The compiler's ES module output still calls require() for its run-time helpers; these schemas need none.
  if (code.includes('require('))
    throw new Error('a schema needs a run-time helper: write it without that keyword');
  return `// SPDX-License-Identifier: Apache-2.0\n// Made by scripts/compile-schemas.ts: do not edit.\n${code}`;
}

if (import.meta.main) {
  requireNode24();
  writeFileSync(OUTPUT, compileSchemas());
}
