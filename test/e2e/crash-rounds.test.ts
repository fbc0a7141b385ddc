// SPDX-License-Identifier: Apache-2.0
import { CrashDesk } from '../crash/crash-desk.ts';
import { moments } from '../crash/moments.ts';

const ROUNDS = 60;
/** Rounds in one test, so that a hang shows soon. */
const BATCH = 10;

describe('kill -9 while a grant is used and approvals are given', () => {
  let desk: CrashDesk | undefined;
  let usual = 0;

  before(async () => {
    desk = await CrashDesk.open();
    usual = (await desk.round()).took;
  });

  after(async () => {
    await desk?.close();
  });

  for (let first = 1; first <= ROUNDS; first += BATCH) {
    it(`[R88] [R94] [R107] rounds ${first} to ${first + BATCH - 1}: nothing runs twice, no count is lost`, async function () {
      this.timeout(60_000);
      for (const after of moments(BATCH, usual)) await desk?.round(after);
    });
  }
});
