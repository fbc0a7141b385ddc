// SPDX-License-Identifier: Apache-2.0
// Kills the broker at random points of many rounds and prints each: `npm run crash [rounds]`.
import { CrashDesk } from './crash-desk.ts';
import { moments } from './moments.ts';

const rounds = Number(process.argv[2] ?? 200);
const desk = await CrashDesk.open();
try {
  const { took } = await desk.round();
  console.log(`without a crash a round takes ${took} ms`);
  console.log('round  killed after  requested  ran  under grant  left');
  for (const [index, after] of moments(rounds, took).entries()) {
    const { requested, ran, underGrant, left } = await desk.round(after);
    const cells = [index + 1, `${after} ms`, requested, ran, underGrant, left];
    console.log(
      cells.map((cell, column) => String(cell).padStart([5, 12, 9, 3, 11, 4][column] ?? 0)).join('  '),
    );
  }
} finally {
  await desk.close();
}
console.log(`${rounds} rounds: nothing ran twice, and no count was lost`);
