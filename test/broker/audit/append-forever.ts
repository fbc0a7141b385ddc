// SPDX-License-Identifier: Apache-2.0
// Run as a process of its own by `crash.test.ts`, which kills it: attempts begin without end, two of three also end.
// Prints the number of each event once its append has resolved.
import { Records } from '../../../broker/audit/records.ts';
import { openStore } from '../../../broker/store/database.ts';

const store = openStore({ directory: process.argv[2] ?? '' });
const records = new Records({ store, now: Date.now });

async function attempt(index: number): Promise<void> {
  const common = { time: Date.now(), invocation: `inv-${index}` };
  process.stdout.write(`${await records.append({ type: 'requested', ...common }, 'full')}\n`);
  if (index % 3 === 0) return;
  process.stdout.write(`${await records.append({ type: 'executed', ...common }, 'normal')}\n`);
}

for (let index = 1; ; index += 4) {
  await Promise.all([0, 1, 2, 3].map((offset) => attempt(index + offset)));
}
