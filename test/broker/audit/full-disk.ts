// SPDX-License-Identifier: Apache-2.0
// Run by `full-disk.test.ts` in a mount namespace of its own, so that it can have a disk of two megabytes that nobody else
// sees and that is gone with the process. Prints what happened as JSON.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Records } from '../../../broker/audit/records.ts';
import { verifyChain } from '../../../broker/audit/verify.ts';
import { openStore } from '../../../broker/store/database.ts';
import { codeOf } from '../store/temporary.ts';
import { event, rejection } from './fixture.ts';

const disk = process.argv[2] ?? '';
const directory = join(disk, 'store');
const mount = (...options: string[]): void => void execFileSync('mount', [...options, disk]);

mount('-t', 'tmpfs', '-o', 'size=2m', 'tmpfs');
writeFileSync(join(disk, 'ballast'), Buffer.alloc(1024 * 1024));
const store = openStore({ directory });
const records = new Records({ store, now: () => 1 });
let invocation = 0;

async function batch(): Promise<unknown[]> {
  const pending: Promise<unknown>[] = [];
  for (let index = 0; index < 10; index += 1) {
    invocation += 1;
    pending.push(rejection(records.append(event('requested', `inv-${invocation}`), 'full')));
  }
  return Promise.all(pending);
}

let codes = await batch();
let before = records.checkpoint();
while (codes.every((code) => code === 'resolved')) {
  before = records.checkpoint();
  codes = await batch();
}
const after = records.checkpoint();
const whileFull = verifyChain(store.databasePath, store.keyPath);
const again = await batch();
rmSync(join(disk, 'ballast'));
const withSpace = await batch();
const repaired = verifyChain(store.databasePath, store.keyPath);
const appended = records.checkpoint().count;
const recovered = records.recover();
records.close();
store.close();

mkdirSync(join(disk, 'elsewhere'), { mode: 0o700 });
mount('-o', 'remount,bind,ro');
const readOnly = [directory, join(disk, 'elsewhere'), join(disk, 'new')].map((path) =>
  codeOf(() => openStore({ directory: path })),
);

process.stdout.write(
  JSON.stringify({
    codes,
    again,
    withSpace,
    before,
    after,
    whileFull,
    repaired,
    appended,
    recovered,
    readOnly,
  }),
);
