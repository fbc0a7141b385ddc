// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mutantsOf } from './mutants.ts';

// Changes the policy in one place at a time and sees whether its tests notice. Takes minutes, so it is no part of the
// suite: `node test/mutation/policy.ts [FILE...]`. Prints the changes that no test noticed; policy/README.md says why each
// of those is none. Ends with 1 when there are any.

const root = join(import.meta.dirname, '../..');
const copy = mkdtempSync(join(tmpdir(), 'portal-mutation-'));
const LONGEST_MS = 300_000;

/** Files that are tested through others. */
const TESTED_BY: Readonly<Record<string, string>> = {
  'glob-automaton.ts': 'glob.test.ts',
  'ruling.ts': 'decide.test.ts',
  'verdict.ts': 'decide.test.ts',
};

/** Nearly every change is noticed by the file's own tests; only those it is not go through all. */
function isNoticed(name: string): boolean {
  const own = join('test/policy', TESTED_BY[name] ?? name.replace(/\.ts$/, '.test.ts'));
  return (existsSync(join(copy, own)) && !testsPass(own)) || !testsPass('test/policy/*.test.ts');
}

function testsPass(tests: string): boolean {
  const mocha = join(root, 'node_modules/mocha/bin/mocha.js');
  // What needs the compiler is left out: types do not run.
  const options = [
    '--no-config',
    '--bail',
    '--timeout',
    '30000',
    '--reporter',
    'dot',
    '--grep',
    'for the compiler',
    '--invert',
  ];
  const run = spawnSync(process.execPath, [mocha, ...options, tests], {
    cwd: copy,
    timeout: LONGEST_MS,
    stdio: 'ignore',
  });
  return run.status === 0;
}

function survivorsOf(name: string): readonly string[] {
  const path = join(copy, 'policy', name);
  const source = readFileSync(path, 'utf8');
  const mutants = mutantsOf(source);
  const survivors: string[] = [];
  for (const { line, before, after, text } of mutants) {
    writeFileSync(path, text);
    if (!isNoticed(name)) survivors.push(`policy/${name}:${line}: \`${before}\` -> \`${after}\``);
  }
  writeFileSync(path, source);
  process.stdout.write(`${name}: ${mutants.length} changes, ${survivors.length} not noticed\n`);
  return survivors;
}

try {
  for (const folder of ['keys', 'manifests', 'policy', 'test/policy', 'test/manifests', 'test/vectors']) {
    cpSync(join(root, folder), join(copy, folder), { recursive: true });
  }
  cpSync(join(root, 'package.json'), join(copy, 'package.json'));
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  if (!testsPass('test/policy/*.test.ts'))
    throw new Error('the tests fail without any change: mend that first');
  const named = process.argv.slice(2);
  const all = readdirSync(join(copy, 'policy')).filter((name) => name.endsWith('.ts'));
  const survivors = (named.length > 0 ? named : all).flatMap(survivorsOf);
  for (const survivor of survivors) process.stdout.write(`${survivor}\n`);
  process.exitCode = survivors.length > 0 ? 1 : 0;
} finally {
  rmSync(copy, { recursive: true });
}
