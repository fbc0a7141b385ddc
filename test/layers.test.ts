// SPDX-License-Identifier: Apache-2.0
import { readdirSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { assert } from 'chai';

const root = join(import.meta.dirname, '..');
// Each folder may import itself and what is listed; `import type` counts. The order is the architecture (README, "Layers").
const MAY_IMPORT: Record<string, readonly string[]> = {
  keys: [],
  dbus: [],
  manifests: ['keys'],
  policy: ['keys', 'manifests'],
  'tier2-atspi': ['keys', 'dbus', 'manifests', 'policy'],
  broker: ['keys', 'dbus', 'manifests', 'policy', 'tier2-atspi', 'scripts'],
};
const IMPORT = /(?:\bfrom|\bimport|\bimport\()\s*'([^'\s()]+)'/g;

function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name));
}

function violations(folder: string, allowed: readonly string[], file: string, text: string): string[] {
  return [...text.matchAll(IMPORT)].flatMap(([, specifier = '']) => {
    if (folder === 'policy' && !specifier.startsWith('.'))
      return [`${file}: policy is pure, yet imports ${specifier}`];
    if (!specifier.startsWith('.')) return [];
    const top = normalize(join(file, '..', specifier)).split('/')[0] ?? '';
    return top === folder || allowed.includes(top) ? [] : [`${file}: ${folder} may not import ${specifier}`];
  });
}

describe('layers', () => {
  for (const [folder, allowed] of Object.entries(MAY_IMPORT)) {
    it(`${folder} imports only itself${allowed.length ? ` and ${allowed.join(', ')}` : ''}`, () => {
      const files = sources(folder);
      assert.isNotEmpty(files, `no source seen in ${folder}: the test would pass on nothing`);
      const found = files.flatMap((file) =>
        violations(folder, allowed, file, readFileSync(join(root, file), 'utf8')),
      );
      assert.deepEqual(found, []);
    });
  }

  it('policy holds no asynchronous code', () => {
    const offenders = sources('policy').filter((file) =>
      /\basync\b|\bawait\b|\bPromise\b/.test(
        readFileSync(join(root, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, ''),
      ),
    );
    assert.deepEqual(offenders, []);
  });

  it('sees an upward import when there is one', () => {
    assert.lengthOf(violations('keys', [], 'keys/x.ts', "import { a } from '../broker/a.ts';"), 1);
    assert.lengthOf(violations('policy', [], 'policy/x.ts', "import type { a } from 'node:fs';"), 1);
  });
});
