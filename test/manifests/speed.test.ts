// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { assert } from 'chai';

const VERIFY = join(import.meta.dirname, '../../manifests/verify.ts');
// Every module a process asks for, by its resolved address.
const SPY = `
import { registerHooks } from 'node:module';
const seen = [];
registerHooks({ resolve(specifier, context, next) { const found = next(specifier, context); seen.push(found.url); return found; } });
await import(${JSON.stringify(VERIFY)});
process.stdout.write(JSON.stringify(seen));
`;

describe('loading the verification', () => {
  // Times are measured by `npm run bench`; what can be held here is what made a first verification slow.
  it('[R57] needs neither the schema compiler nor the pattern engine', () => {
    const text = execFileSync(process.execPath, ['--input-type=module', '-e', SPY], { encoding: 'utf8' });
    const loaded: unknown = JSON.parse(text);
    if (!Array.isArray(loaded)) throw new Error('no list of modules');
    assert.isTrue(
      loaded.some((url) => String(url).includes('/@noble/ed25519/')),
      'the spy sees packages at all',
    );
    assert.deepEqual(
      loaded.filter((url) => /\/(ajv|re2js|chokidar|pino)\//.test(String(url))),
      [],
    );
  });
});
