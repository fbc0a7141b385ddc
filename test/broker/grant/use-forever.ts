// SPDX-License-Identifier: Apache-2.0
// Run as a process of its own by `crash.test.ts`, which kills it: uses the grants of a store until there is nothing left,
// several at once, and gives some uses back. Prints a line once a use is on the disk.
import { randomUUID } from 'node:crypto';
import { flushCompileCache } from 'node:module';
import { Records } from '../../../broker/audit/records.ts';
import { DEFAULTS } from '../../../broker/config.ts';
import { Ledger } from '../../../broker/grant/ledger.ts';
import { openStore } from '../../../broker/store/database.ts';
import { FACTS } from './crash-facts.ts';

flushCompileCache(); // else only a clean end writes it
const store = openStore({ directory: process.argv[2] ?? '' });
const records = new Records({ store, now: Date.now });
records.recover();
const ledger = new Ledger({
  store,
  records,
  now: Date.now,
  newId: randomUUID,
  limits: DEFAULTS.grants,
  policyLimits: DEFAULTS.policyLimits,
  fault: (error) => {
    throw error;
  },
});

async function use(giveBack: boolean): Promise<boolean> {
  const hold = ledger.hold(FACTS);
  if (hold === undefined) return false;
  if (giveBack) {
    hold.release();
    return true;
  }
  const event = { type: 'requested', time: Date.now(), invocation: randomUUID(), grant: hold.grant } as const;
  await records.append(event, 'full', () => hold.commit());
  hold.settled();
  process.stdout.write('.\n');
  return true;
}

process.stdout.write('ready\n');
for (let more = true; more; ) {
  const used = await Promise.all([use(false), use(true), use(false), use(false)]);
  more = used.includes(true);
}
process.stdout.write('done\n');
setInterval(() => undefined, 1000); // until it is killed
