// SPDX-License-Identifier: Apache-2.0
import { CrashDesk } from '../crash/crash-desk.ts';
import { moments } from '../crash/moments.ts';

/** Desktops at the same time: while the broker of one starts, another's is at work. */
const DESKS = 2;
const ROUNDS = 60;
/** Rounds in one test, so that a hang shows soon. */
const BATCH = 20;

describe('kill -9 while a grant is used and approvals are given', function () {
  this.timeout(60_000);
  let desks: readonly CrashDesk[] = [];
  let usual = 0;

  before(async () => {
    desks = await Promise.all(Array.from({ length: DESKS }, () => CrashDesk.open()));
    const rounds = await Promise.all(desks.map((desk) => desk.round()));
    usual = Math.max(...rounds.map(({ took }) => took));
  });

  after(async () => {
    await Promise.all(desks.map((desk) => desk.close()));
  });

  for (let first = 1; first <= ROUNDS; first += BATCH) {
    it(`[R88] [R94] [R107] rounds ${first} to ${first + BATCH - 1}: nothing runs twice, no count is lost`, async () => {
      const rounds = async (desk: CrashDesk): Promise<void> => {
        for (const after of moments(BATCH / DESKS, usual)) await desk.round(after);
      };
      await Promise.all(desks.map(rounds));
    });
  }
});
