// SPDX-License-Identifier: Apache-2.0
// Run as a process of its own by `crash.test.ts`, which kills it: uses the grants of a store until there is nothing left,
// several at once, and gives some uses back. Prints a line once a use is on the disk. Kills itself at a named point of its
// `count`th use where one is given: `<directory> [<point> <count>]`.
import { randomUUID } from 'node:crypto';
import { flushCompileCache } from 'node:module';
import { Records } from '../../../broker/audit/records.ts';
import { DEFAULTS } from '../../../broker/config.ts';
import { Ledger } from '../../../broker/grant/ledger.ts';
import { openStore } from '../../../broker/store/database.ts';
import { FACTS } from './crash-facts.ts';

flushCompileCache(); // else only a clean end writes it
const [, , directory = '', point, count] = process.argv;
const store = openStore({ directory });
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

let uses = 0;

function reach(here: string): void {
  if (here !== point) return;
  uses += 1;
  if (uses === Number(count)) process.kill(process.pid, 'SIGKILL');
}

async function use(giveBack: boolean): Promise<boolean> {
  const hold = ledger.hold(FACTS);
  if (hold === undefined) return false;
  if (giveBack) {
    hold.release();
    return true;
  }
  const event = { type: 'requested', time: Date.now(), invocation: randomUUID(), grant: hold.grant } as const;
  reach('held');
  await records.append(event, 'full', () => {
    hold.commit();
    reach('within');
  });
  reach('recorded');
  hold.settled();
  reach('settled');
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
