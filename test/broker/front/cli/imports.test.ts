// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { assert } from 'chai';

const root = join(import.meta.dirname, '..', '..', '..', '..');
// Not `import(`: what is loaded on demand is what this is about. Types are gone when it runs.
const STATIC = /^(?:import|export)\s(?!type\b)[^;]*?from\s+'([^']+)'/gm;

/** Every module that is loaded when `file` is, by its static imports. */
function loaded(file: string, found: Set<string> = new Set()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  for (const [, specifier = ''] of readFileSync(file, 'utf8').matchAll(STATIC)) {
    if (specifier.startsWith('.')) loaded(join(dirname(file), specifier), found);
    else found.add(specifier);
  }
  return found;
}

describe('[R144] help and completion stay quick', () => {
  const entry = join(root, 'broker', 'front', 'cli', 'main.ts');
  const modules = [...loaded(entry)];

  it('load no package: no cryptography, no schema validator, no bus', () => {
    assert.isAbove(modules.length, 10, 'no import was seen: the test would pass on nothing');
    assert.deepEqual(
      modules.filter((name) => !name.startsWith('/') && !name.startsWith('node:')),
      [],
    );
  });

  it('load no command', () => {
    const commands = modules
      .map((name) => relative(root, name))
      .filter((name) => name.includes('/commands/'));
    assert.deepEqual(commands, []);
  });
});
