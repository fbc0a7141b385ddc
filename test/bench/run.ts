// SPDX-License-Identifier: Apache-2.0
// Runs the benches one after the other. Figures are ratios within one run: absolute times say more about the machine.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { requireNode24 } from '../../scripts/node24.ts';

requireNode24();

const BENCHES = ['verify', 'path', 'start', 'memory', 'audit', 'decide'];
const chosen = process.argv.slice(2);

let failed = false;
for (const bench of BENCHES.filter((name) => chosen.length === 0 || chosen.includes(name))) {
  process.stdout.write(`\n== ${bench}\n`);
  const child = spawn(process.execPath, [join(import.meta.dirname, `${bench}.ts`)], { stdio: 'inherit' });
  const code = await new Promise((resolve) => child.once('exit', resolve));
  failed ||= code !== 0;
}
if (failed) process.exit(1);
