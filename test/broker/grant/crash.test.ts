// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { assert } from 'chai';
import { DEFAULTS } from '../../../broker/config.ts';
import { parseGrantRequest } from '../../../policy/grant.ts';
import { type Temporary, temporaryDirectory } from '../store/temporary.ts';
import { FACTS } from './crash-facts.ts';
import { LedgerFixture, wish } from './fixture.ts';

const ROUNDS = 200;
/** Stores at the same time, each with a grant of so many uses; the first one runs out, which must happen exactly once. */
const LANES = [40, 10_000, 10_000];
/** Where a process kills itself; undefined: it is killed from outside, at no particular point. */
const POINTS = [undefined, 'held', undefined, 'within', 'recorded', undefined, 'settled'];

/** Lets a process use grants until it is killed, and returns how many uses it said were on the disk. */
async function useAndDie(directory: string, cache: string, round: number): Promise<number> {
  const point = POINTS[round % POINTS.length];
  const count = 1 + (round % 5);
  const script = join(import.meta.dirname, 'use-forever.ts');
  const child = spawn(
    process.execPath,
    [script, directory, ...(point === undefined ? [] : [point, String(count)])],
    // Most of a start is compiling. What is killed reports no coverage, so nothing is lost to the cache.
    { stdio: ['ignore', 'pipe', 'inherit'], env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: cache } },
  );
  const gone = once(child, 'exit');
  let acknowledged = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    if (line === '.') acknowledged += 1;
    const enough = point === undefined && acknowledged === count;
    if (enough || line === 'done') setTimeout(() => child.kill('SIGKILL'), round % 3);
  }
  assert.deepEqual(await gone, [null, 'SIGKILL']);
  return acknowledged;
}

/** Rounds in one store, one after the other. Returns how often its grant was used. */
async function lane(operations: number, rounds: readonly number[], cache: string): Promise<number> {
  const fixture = new LedgerFixture();
  try {
    const { target: _, ...wanted } = wish({ capability: FACTS.capability, operations });
    const grant = parseGrantRequest(wanted, DEFAULTS.policyLimits, FACTS.now);
    await fixture.ledger.add(grant, FACTS.definitionDigest, 'user:1000');
    let used = 0;
    for (const round of rounds) {
      fixture.store.close();
      const acknowledged = await useAndDie(fixture.temporary.path, cache, round);
      fixture.reopen();
      const before = used;
      used = Number(fixture.store.database.prepare('SELECT used FROM grants').get()?.used);
      const recorded = fixture.store.database
        .prepare(`SELECT count(*) AS count FROM events WHERE body LIKE '{"type":"requested"%'`)
        .get();
      assert.equal(used, recorded?.count, `round ${round}: counted and recorded`);
      assert.isAtLeast(used, before + acknowledged, `round ${round}: lost`);
      assert.isAtMost(used, operations, `round ${round}: too many`);
    }
    assert.isTrue(fixture.verify().ok);
    return used;
  } finally {
    fixture.remove();
  }
}

describe('broker/grant after kill -9', () => {
  let cache: Temporary;

  before(() => {
    cache = temporaryDirectory();
  });
  after(() => cache.remove());

  it(`[R107] in ${ROUNDS} rounds no use is lost and none counted twice`, async () => {
    const rounds = Array.from({ length: ROUNDS }, (_, index) => index);
    const used = await Promise.all(
      LANES.map((operations, offset) =>
        lane(
          operations,
          rounds.filter((round) => round % LANES.length === offset),
          cache.path,
        ),
      ),
    );
    assert.equal(used[0], LANES[0], 'what ran out was used exactly as often as was granted');
    assert.isAbove(Math.min(...used.slice(1)), ROUNDS / LANES.length, 'the rounds did something');
  }).timeout(180_000);
});
